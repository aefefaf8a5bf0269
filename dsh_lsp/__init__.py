"""dsh-lsp: a language server between AI coding agents and a person's editor.

The only package that knows LSP. Nothing is imported here, so that the command line and small clients start fast.
"""
