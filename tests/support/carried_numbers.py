"""Lanes of numbers that messages carry, in landed folders made by hand: without stamps, and so without send times."""

from landed_folder import LandedFolder, id_of

SEQUENCE = "job_numbers"


def carry(
    story: LandedFolder, sender: str, numbers: tuple[int, int], seconds: float, *, lane: int = 0, topic: str = "",
    left_out: tuple[int, int] | None = None, final: bool = True,
) -> None:  # fmt: skip
    """A sender's word on a lane: the first number and the last one that it sent, and those between that it left out."""
    unused = left_out[1] - left_out[0] + 1 if left_out else 0
    about = {"stream": id_of(sender), "lane": lane, "role": "send"}
    _tell_lane(story, sender, sender, lane, "send", topic, 0.2)
    count = numbers[1] - numbers[0] + 1 - unused
    progress = {"count": count, "frames": count, "first": numbers[0], "next": numbers[1] + 1}
    story.add("lane", sender, seconds, state="final" if final else "sample", **about, **progress)
    if left_out:
        gap = {"stream": id_of(sender), "lane": lane, "action": "skipped"}
        story.add("gap", sender, 1, first=left_out[0], last=left_out[1], **gap)


def read(
    story: LandedFolder, receiver: str, count: int, numbers: tuple[int, int], seconds: float, *, lane: int = 0,
    topic: str = "", final: bool = True,
) -> None:  # fmt: skip
    """A receiver's word on a lane: how many messages, from the first number to the last."""
    _tell_lane(story, receiver, f"read by {receiver}", lane, "receive", topic, 0.3)
    about = {"stream": id_of(f"read by {receiver}"), "lane": lane, "role": "receive"}
    progress = {"count": count, "first": numbers[0], "next": numbers[1] + 1}
    story.add("lane", receiver, seconds, state="final" if final else "sample", **about, **progress)


def lack(
    story: LandedFolder, receiver: str, first: int, last: int, seconds: float, *, received: int, lane: int = 0
) -> None:
    """A gap that a receiver noticed as it read the message behind it, the ``received``-th one of its lane."""
    about = {"stream": id_of(f"read by {receiver}"), "lane": lane, "action": "gap"}
    numbers = {"first": first, "last": last, "lost": last - first + 1, "received": received}
    story.add("gap", receiver, seconds, **about, **numbers)


def _tell_lane(
    story: LandedFolder, socket: str, stream: str, lane: int, role: str, topic: str, at: float
) -> None:
    about = {"stream": id_of(stream), "lane": lane, "role": role, "sequence": SEQUENCE}
    story.add("lane", socket, at, state="announced", topic=topic.encode().hex(), **about)
