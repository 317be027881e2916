"""All rules that look at a socket's set-up, by the moments at which they may have something to say."""

from collections.abc import Callable, Mapping

from hopwatch.finding import Finding
from hopwatch.rules import closing, conflate, marks, sending, versions
from hopwatch.rules.setup import Kind, Moment, SetUp

Rule = Callable[[SetUp, Moment], Finding | None]

ON_CHANGES: tuple[Rule, ...] = (
    marks.mark_of_the_other_way,
    marks.unlimited_mark,
    marks.subscriptions_beyond_mark,
    closing.no_linger,
    closing.low_mark_over_ipc,
)
RULES: Mapping[Kind, tuple[Rule, ...]] = {
    Kind.WRAPPED: (*ON_CHANGES, versions.old_libzmq),
    Kind.OPTION: (*ON_CHANGES, marks.mark_set_after_bind),
    Kind.BOUND: ON_CHANGES,
    Kind.CONNECTED: ON_CHANGES,
    Kind.SUBSCRIBED: ON_CHANGES,
    Kind.FIRST_SEND: (marks.mark_of_the_other_way, sending.router_not_mandatory),
    Kind.SENT_AT_ONCE: (sending.dontwait_never_raises,),
    Kind.WAITED: (sending.nodrop_blocks,),
    Kind.SENT_SEVERAL_FRAMES: (conflate.conflate_multipart,),
    Kind.CLOSING: (marks.mark_of_the_other_way, closing.no_linger),
}


def judge(setup: SetUp, moment: Moment) -> list[Finding]:
    """What is to be said of this set-up at this moment."""
    if moment.kind is Kind.OPTION and not setup.endpoints:
        return []  # it may still be changed before it matters
    return [found for rule in RULES.get(moment.kind, ()) if (found := rule(setup, moment)) is not None]
