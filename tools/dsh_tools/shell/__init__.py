"""Running a shell command: outside of the path fence, inside of every other bound.

A command can touch whatever its user can: no path is checked here, and none could be. That is why the user is asked
before each. What is bounded is how long it runs, what it leaves running, what it may print, what it learns from the
environment, and what is not noticed of its changes.
"""
