"""What is sent between two processes, over loopback TCP, and by whose clock it is measured."""

from __future__ import annotations

from dataclasses import dataclass

import zmq

BOTH_ENDS = "both ends"
SENDER = "the sender"


@dataclass(frozen=True)
class Load:
    """What is sent. ``bound`` says which end's clock tells the rate, and whose calls bound it.

    A sender by its own clock has no high water mark, and its receiver is bare: nothing but its own calls slows it. Else the
    receiver's clock tells. A publisher's marks are unlimited, or it would drop; a PUSH waits, and keeps the defaults.
    """

    pattern: str
    sender_type: int
    receiver_type: int
    size: int
    messages: int
    unlimited: bool = False
    bound: str = BOTH_ENDS
    asyncio: bool = False

    @property
    def name(self) -> str:
        parts = [self.pattern, f"{self.size} B"]
        if self.asyncio:
            parts.insert(0, "asyncio")
        if self.bound == SENDER:
            parts.append("by the sender's clock")
        return " ".join(parts)


def loads(messages: int) -> list[Load]:
    """All loads; those of asyncio, which takes ten times as long a message, with a tenth of the messages."""
    pipeline = ("PUSH/PULL", zmq.PUSH, zmq.PULL)
    published = ("PUB/SUB", zmq.PUB, zmq.SUB)
    return [
        Load(*pipeline, size=64, messages=messages, unlimited=True, bound=SENDER),
        Load(*pipeline, size=64, messages=messages),
        Load(*published, size=64, messages=messages, unlimited=True),
        Load(*pipeline, size=1024, messages=messages),
        Load(*published, size=1024, messages=messages, unlimited=True),
        Load(*pipeline, size=64, messages=messages // 10, unlimited=True, bound=SENDER, asyncio=True),
        Load(*pipeline, size=64, messages=messages // 10, asyncio=True),
    ]
