"""The threads that blocking work runs in, bounded, apart from the event loop's own.

Two pools, so that an operation may wait for a digest without any chance that all threads wait for each other.
"""

from concurrent.futures import ThreadPoolExecutor

_OPERATIONS = 8
_DIGESTS = 2


class DiskThreads:
    """Threads of a disk; they start when they are needed.

    Args:
        operations: The most operations that run at once.

    Attributes:
        operations: One thread for each operation that runs.
        digests: For work that an operation does while it waits for the disk. Never waits for anything.
    """

    def __init__(self, operations: int = _OPERATIONS) -> None:
        self.operations = ThreadPoolExecutor(operations, thread_name_prefix="dsh-disk")
        self.digests = ThreadPoolExecutor(_DIGESTS, thread_name_prefix="dsh-digest")

    def close(self) -> None:
        """Let the threads end. What was asked for is still done.

        The digests' threads end when the last operation lets go of them: one that is still queued will want them.
        """
        self.operations.shutdown(wait=False)
