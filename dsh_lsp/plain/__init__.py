"""Reviewing what agents changed in an editor that has plain LSP and nothing of ours.

Active for a client that does not paint ``dsh/decorations``. Only what it declared is announced to it or sent to it.
"""
