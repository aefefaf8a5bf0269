"""Files as tools see them: a port, a disk behind it, and the rules of text."""
