"""One hub per workspace folder: who may be it, how others join it, and what happens when it ends.

==================  ================================================================================
``folder_locks``    which process is the hub of a folder, as the kernel knows it
``finding``         connecting to a hub that has a folder, as an editor
``attaching``       what is said before an editor's own messages on such a connection
``forwarder``       an editor's process that is not the hub: it carries frames both ways, and outlives the hub
``editor_state``    what a new hub must be told of an editor whose hub has ended
``documents``       an editor's open documents, followed for that
==================  ================================================================================

Deliberately absent: what a hub does.
"""
