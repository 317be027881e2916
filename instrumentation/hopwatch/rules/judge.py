"""All rules that look at a socket's set-up, by the moments at which they may have something to say."""

from collections.abc import Callable, Mapping

from hopwatch.finding import Finding
from hopwatch.rules import marks, sending
from hopwatch.rules.setup import ATTACHING, Kind, Moment, SetUp

OLDEST_TRIED = (4, 3)

Rule = Callable[[SetUp, Moment], Finding | None]


def old_libzmq(setup: SetUp, _moment: Moment) -> Finding | None:
    """An older libzmq than the ones whose behaviour the findings, causes and advice were tried on."""
    if setup.libzmq >= OLDEST_TRIED:
        return None
    version = ".".join(map(str, setup.libzmq))
    return Finding(
        rule="old_libzmq",
        text=f"This process has libzmq {version}; what hopwatch says of marks, handshakes and drops was tried on libzmq 4.3 only.",
        advice="Use the wheels of pyzmq, which bring a libzmq of their own, or a libzmq of 4.3 or newer.",
    )


CHANGING = ATTACHING | {Kind.OPTION, Kind.SUBSCRIBED}
ON_CHANGES: tuple[Rule, ...] = (
    marks.mark_of_the_other_way,
    marks.unlimited_mark,
    marks.subscriptions_beyond_mark,
    sending.no_linger,
    marks.low_mark_over_ipc,
)
AT_MOMENTS: Mapping[Kind, tuple[Rule, ...]] = {
    Kind.WRAPPED: (old_libzmq,),
    Kind.OPTION: (marks.mark_set_after_bind,),
    Kind.FIRST_SEND: (marks.mark_of_the_other_way, sending.router_not_mandatory),
    Kind.SENT_AT_ONCE: (sending.dontwait_never_raises,),
    Kind.WAITED: (sending.nodrop_blocks,),
    Kind.SENT_SEVERAL_FRAMES: (sending.conflate_multipart,),
    Kind.CLOSING: (marks.mark_of_the_other_way, sending.no_linger),
}


def judge(setup: SetUp, moment: Moment) -> list[Finding]:
    """What is to be said of this set-up at this moment. Before it is bound or connected, it may still be mended."""
    changed = ON_CHANGES if moment.kind in CHANGING and setup.endpoints else ()
    rules = (*changed, *AT_MOMENTS.get(moment.kind, ()))
    return [found for rule in rules if (found := rule(setup, moment)) is not None]
