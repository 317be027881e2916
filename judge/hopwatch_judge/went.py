"""Which end of a hop was gone first, by what each saw of the other."""

from hopwatch_judge.case import Link, Socket
from hopwatch_judge.optional import later_by
from hopwatch_judge.thresholds import CLOCKS_MAY_DIFFER_BY, FOUND_DEAD_WITHIN, SEEN_DOWN_WITHIN


def sender_went_first(link: Link, x: Socket, y: Socket) -> bool:
    """Whether the sending end ``x`` was gone before the receiving end ``y``: False where it is not gone.

    The one that stays sees the other one go, who may be found dead long after. Where both saw the connection go down or neither did, the clocks tell, and that the receiving
    end saw it at about the time that the sending end ended. Who is known to have stayed for longer was not seen to go.
    """
    if x.ended_at is None:
        return False
    saw_sender_go = not link.from_end_stayed and _about_then(link.to_end_down_at, x.ended_at)
    found_later = y.end == "died" and _while_there(link.left_at, x.ended_at, y.ended_at)
    sender_found_later = x.end == "died" and _while_there(link.to_end_down_at, y.ended_at, x.ended_at)
    saw_receiver_go = not link.to_end_stayed and (_about_then(link.left_at, y.ended_at) or found_later)
    if link.left_at is None and (saw_sender_go or (not link.from_end_stayed and sender_found_later)):
        return True
    if link.to_end_down_at is None and saw_receiver_go:
        return False
    return y.ended_at is None or x.ended_at <= y.ended_at or saw_sender_go


def went_unseen(link: Link, x: Socket, y: Socket) -> bool:
    """Whether nothing tells who of the two was gone first: both went at about the same time, neither saw the other go, and one was found dead, as
    soon or as late as its agent came to it.
    """
    if link.left_at is not None or link.to_end_down_at is not None:
        return False
    apart = later_by(x.ended_at, y.ended_at)
    return apart is not None and abs(apart) <= FOUND_DEAD_WITHIN and "died" in (x.end, y.end)


def _while_there(seen_at: float | None, ended_at: float | None, found_at: float | None) -> bool:
    """One end saw the connection go down well before it ended itself, and before the other was found dead."""
    if seen_at is None or found_at is None:
        return False
    return (ended_at is None or ended_at - seen_at > SEEN_DOWN_WITHIN) and seen_at <= found_at


def _about_then(seen_at: float | None, ended_at: float | None) -> bool:
    """About, because the clocks of two hosts differ, and the agent may learn of a death a little later."""
    apart = later_by(seen_at, ended_at)
    return apart is not None and abs(apart) <= CLOCKS_MAY_DIFFER_BY
