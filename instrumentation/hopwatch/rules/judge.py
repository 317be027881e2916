"""All rules that look at a socket's set-up."""

from collections.abc import Callable, Iterator

from hopwatch.finding import Finding
from hopwatch.rules import closing, conflate, marks, sending, versions
from hopwatch.rules.setup import Moment, SetUp

RULES: tuple[Callable[[SetUp, Moment], Finding | None], ...] = (
    marks.mark_of_the_other_way,
    marks.unlimited_mark,
    marks.mark_set_after_bind,
    marks.subscriptions_beyond_mark,
    closing.no_linger,
    closing.stamped_without_linger,
    closing.low_mark_over_ipc,
    conflate.conflate_multipart,
    sending.nodrop_blocks,
    sending.dontwait_never_raises,
    sending.router_not_mandatory,
    versions.old_libzmq,
)


def judge(setup: SetUp, moment: Moment) -> Iterator[Finding]:
    """What is to be said of this set-up at this moment."""
    return (found for found in (rule(setup, moment) for rule in RULES) if found is not None)
