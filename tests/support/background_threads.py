"""The threads of this process that ``threading`` does not know: hopwatch's, besides those of libzmq."""

import threading
from pathlib import Path

OF_LIBZMQ = "ZMQbg"


def background_threads() -> set[int]:
    """Their native ids."""
    known = {thread.native_id for thread in threading.enumerate()}
    names = {int(task.name): _name(task) for task in Path("/proc/self/task").iterdir()}
    return {number for number, name in names.items() if number not in known and OF_LIBZMQ not in name}


def _name(task: Path) -> str:
    try:
        return (task / "comm").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return OF_LIBZMQ
