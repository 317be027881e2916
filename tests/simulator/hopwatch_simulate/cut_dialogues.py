"""Stories of DEALER, ROUTER and PAIR whose connection breaks while the buffers to the slow end are full, and comes up again."""

from hopwatch_simulate.cut_share_stories import breaks, mended_after
from hopwatch_simulate.dialogues import Talker, meet, talker_of
from hopwatch_simulate.telling import LITTLE_INBOX, QUICK, SETTLED, Teller


def cut_dealers(tell: Teller) -> None:
    """Two DEALERs that both send; one of them reads slowly."""
    _cut(tell, "DEALER", "DEALER", both_send=True)


def cut_dealer_of_a_router(tell: Teller) -> None:
    """A DEALER that sends more than its ROUTER reads, and gets no answers."""
    _cut(tell, "DEALER", "ROUTER", both_send=False)


def cut_pair(tell: Teller) -> None:
    """Two PAIRs that both send; one of them reads slowly.

    One that is bound takes no other connection before it has read all of the last one: it has, when this one comes up again.
    """
    _cut(tell, "PAIR", "PAIR", both_send=True)


def _cut(tell: Teller, quick_kind: str, slow_kind: str, *, both_send: bool) -> None:
    quick_is_bound = tell.chance.random() < 0.5
    marks = {"sndhwm": tell.chance.choice([20, 100, 1000])}
    quick = talker_of(tell, "left", quick_kind, service=QUICK, bind=quick_is_bound, options=marks)
    service = tell.world.between(0.003, 0.004)
    slow = talker_of(tell, "right", slow_kind, service=service, bind=not quick_is_bound, options=LITTLE_INBOX)
    bound, calling = (quick, slow) if quick_is_bound else (slow, quick)
    connection = meet(tell, bound, calling, wire=tell.wire(12))
    _talks(tell, quick)
    if both_send:
        _talks(tell, slow)
    broken = breaks(tell, connection)
    mended_after(tell, connection, broken)
    tell.leave_in_any_order(3.4 + SETTLED, quick.party, slow.party)


def _talks(tell: Teller, talker: Talker) -> None:
    tell.site.sends(talker.party, talker.outlet, tell.steady(0.5, tell.chance.randint(350, 400), 0.001))
