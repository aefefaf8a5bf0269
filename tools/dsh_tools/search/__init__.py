"""Searching with ripgrep: the files of a folder, and the unsaved texts that editors hold, by one dialect of patterns.

Deliberately absent: tools, cards and what a model reads; those are `dsh_tools.builtin`'s. Nothing here records an
observation: a hit is not the content.
"""
