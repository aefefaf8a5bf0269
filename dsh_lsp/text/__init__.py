"""The text of open documents as the editor holds it: lines, positions and the mirror that follows every change.

Deliberately absent: the protocol's own types, files on disk, and any decision about an edit. What is here is plain data
that can't fail on any text a client may hold.
"""
