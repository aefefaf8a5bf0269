"""Open documents: their text as the editor has it, edits into it, and what of it the agents did.

The editor's buffer is the truth. It is changed by asking the editor, and an edit has happened when its text comes back.
"""
