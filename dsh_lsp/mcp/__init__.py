"""``dsh-lsp mcp``: a server of the Model Context Protocol, by which any agent that speaks it is an agent of ours.

================  ==================================================================================
``command``       the command: whether the official kit is there, standard input and output, the end
``server``        what is answered: ``tools/list`` and ``tools/call``
``bridge``        the one session of this process, and the hub that it needs: found, or our own
``workspaces``    which folder is meant
``translating``   tools and outcomes as the protocol has them: pure functions
``progress``      the progress of one call
``lines``         standard input and output as lines
================  ==================================================================================

Deliberately absent: what tools do, and any state that the hub does not have as well.
"""
