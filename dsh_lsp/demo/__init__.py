"""The main job, shown: a real server process, a headless editor, an agent on the socket, and what each of them sees.

Everything is real but the person: the editor's typing is scripted.
"""
