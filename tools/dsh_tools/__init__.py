"""What a tool is, and the built-in tools. No LSP: a tool knows files by a port, and people by cards.

Nothing is imported here; name the module that you need.
"""
