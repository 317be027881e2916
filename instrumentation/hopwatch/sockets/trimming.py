"""Stamps at the ends of frames, and the frames without them."""

from typing import Any

import zmq

from hopwatch import stamp
from hopwatch.frames import as_bytes

STAMP_SIZE = stamp.SIZE


class Frame(zmq.Frame):
    """A received frame without its stamp, by the name of any; what else is asked of it the received one answers."""

    __module__ = zmq.Frame.__module__
    source: zmq.Frame | None = None

    def get(self, option: Any) -> Any:
        """As the received frame's: a property of its connection, such as ``Peer-Address``."""
        return super().get(option) if self.source is None else self.source.get(option)


def stamped(frame: Any, stamp_bytes: bytes) -> Any:
    """Return a frame that is to be sent, with its stamp; what pyzmq refuses is left to be refused."""
    if isinstance(frame, zmq.Frame):
        longer = zmq.Frame(frame.bytes + stamp_bytes)
        longer.tracker = frame.tracker
        return longer
    return as_bytes(frame) + stamp_bytes if memoryview(frame).c_contiguous else frame


def trimmed(frame: bytes | zmq.Frame) -> bytes | zmq.Frame:
    """Return a frame without its stamp, as bytes or as a Frame, as it was."""
    if isinstance(frame, bytes):
        return frame[:-STAMP_SIZE]
    rest = Frame(frame.buffer[:-STAMP_SIZE])
    rest.source, rest.more, rest.tracker = frame, frame.more, frame.tracker
    return rest


def found_in(frame: bytes | zmq.Frame) -> bytes:
    """The stamp at the end of a message's last frame, if there is one."""
    content = frame if isinstance(frame, bytes) else frame.buffer
    if len(content) < STAMP_SIZE or content[-1] != stamp.LAST_BYTE:
        return b""
    found = bytes(content[-STAMP_SIZE:])
    return found if stamp.ends_stamped(found) else b""
