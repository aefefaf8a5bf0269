"""The web, as tools use it: which addresses may be reached, fetching within bounds, pages as text, and search.

Deliberately absent: the tools themselves (`dsh_tools.builtin`), and anything that outlives a call: no cookies, no
cache, no connection is kept. Everything heavy is imported where it is used.
"""
