"""The commands for people: a small agent, what goes on in a workspace, and what is wrong with a set-up.

Deliberately absent: a second way to draw a card (`dsh_lsp.replaying` has the one), and a second client.
"""
