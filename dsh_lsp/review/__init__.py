"""Review: what agents changed and nobody has decided on, in open documents and in files, kept or undone by people."""
