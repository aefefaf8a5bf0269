"""The facts and the decisions of dsh-lsp: versions, observations, guards, edits, hunks, errors.

Standard library only; no I/O, no clocks, no async. Everything here can be replayed.
"""
