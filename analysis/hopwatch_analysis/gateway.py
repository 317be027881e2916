"""pyspark's connections to its Java process, left so that nothing goes over them any more when that process ends."""

import threading
from collections.abc import Iterable

from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER, FinalizerWorker

SECONDS_FOR_ONE_COMMAND = 5.0


def leave(threads: Iterable[threading.Thread]) -> None:
    """Stop those threads in which py4j tells Java of every Python object that is gone.

    Such a thread logs a traceback if the Java process ends meanwhile, and has no need to tell it anything by then.
    """
    for thread in threads:
        if isinstance(thread, FinalizerWorker):
            thread.deque.clear()
            thread.deque.append(SHUTDOWN_FINALIZER_WORKER)
            thread.join(SECONDS_FOR_ONE_COMMAND)
