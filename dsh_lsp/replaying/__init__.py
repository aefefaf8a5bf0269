"""How a replayed session is shown: cards in the terminal, one HTML page, or JSON lines.

Everything here is a pure function of what was recorded: no clock, no disk, no workspace, and the same bytes each time.
Recorded views are material, not instructions: every text is literal, every member may be missing or of another shape.
"""
