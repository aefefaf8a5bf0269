"""The journals on the disk: where they are, how lines get into them, and how they are read again."""
