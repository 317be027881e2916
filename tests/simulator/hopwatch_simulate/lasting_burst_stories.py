"""Stories of 15 to 40 seconds that look like an overload and are none: the receiver could read all, and its marks are too low for its pauses or its PUB's bursts."""

from dataclasses import replace

from hopwatch_simulate.proxied_ways import also_into, behind, end_all, hub
from hopwatch_simulate.receivers import Inlet, Rest
from hopwatch_simulate.stories import ends
from hopwatch_simulate.telling import LITTLE_INBOX, QUICK, SETTLED, Publisher, Subscriber, Teller

LITTLE_KERNEL = 8
KEEPS_UP = 1.25
"""Times as fast as it is sent messages: who rests now and then, all in all."""


def volleys_for_long(tell: Teller) -> None:
    """Many messages at once and nothing between, which the reader has long read when the next come."""
    feed = tell.publisher(topics=(None,), options={"sndhwm": tell.chance.choice([10, 20, 50])})
    reader = _neighbour(tell, feed, tell.world.between(0.0002, 0.001))
    volley, every = tell.chance.randint(100, 200), tell.world.between(0.6, 1.5)
    turns = int(tell.world.between(15, 40) / every)
    times = [at for turn in range(turns) for at in tell.steady(0.5 + turn * every, volley, 0.00002)]
    calm = tell.steady(0.5 + turns * every, 200, 0.004)
    tell.sends(feed, [*times, *calm])
    ends(tell, 1.4 + turns * every + SETTLED, feed, reader)


def busy_spells(tell: Teller) -> None:
    """Spells of some tenths of a second in which more is sent than the reader can read, and long enough pauses between."""
    feed = tell.publisher(topics=(None,), options={"sndhwm": tell.chance.choice([20, 50])})
    service = tell.world.between(0.003, 0.004)
    reader = _neighbour(tell, feed, service)
    every = tell.world.between(1.0, 1.6)
    spell = every * tell.world.between(0.15, 0.25)
    turns, interval = int(tell.world.between(15, 40) / every), service / 3
    times = [
        at for turn in range(turns) for at in tell.steady(0.5 + turn * every, int(spell / interval), interval)
    ]
    calm = tell.steady(0.5 + turns * every, 200, 2 * service)
    tell.sends(feed, [*times, *calm])
    ends(tell, 0.8 + turns * every + 400 * service + SETTLED, feed, reader)


def rests_between_batches(tell: Teller) -> None:
    """A reader that takes some, and is then busy with them for a second or so; it catches up each time."""
    _rests(tell, tell.world.between(0.6, 1.5))


def rests_for_moments(tell: Teller) -> None:
    """The same of pauses that are shorter than the time between two samples."""
    _rests(tell, tell.world.between(0.2, 0.4))


def polls_between_batches(tell: Teller) -> None:
    """The same of a reader that waited for its first message, and asks before it receives from then on: that it had nothing to read is not counted."""
    reader = _rests(tell, tell.world.between(0.2, 0.4))
    reader.inlet.waits, reader.inlet.waits_once = True, True


def rests_far_away(tell: Teller) -> None:
    """The same on another host; the kernel at the sending end tells of each rest that the receiver does not read, and the receiver that it waits for more between them."""
    feed = tell.publisher(topics=(None,), options={"sndhwm": 10})
    wire = replace(tell.wire(LITTLE_KERNEL), names_receiver=True)
    reader = tell.far_reader(feed, QUICK, full="hwm_too_low", options=LITTLE_INBOX, wire=wire)
    reader.inlet.waits = True
    took = _sends_evenly(tell, feed, reader.inlet, tell.world.between(0.3, 1.5))
    ends(tell, took, feed, reader)


def proxy_that_lags(tell: Teller) -> None:
    """A proxy that is held up now and then, and catches up each time: who reads behind it, by the same clock as the PUB, gets messages as they are sent then."""
    feed = tell.publisher(topics=(None,), bound=False, options={"sndhwm": 10})
    middle = hub(tell, in_hwm=10, service=QUICK, agent=feed.party.agent)
    also_into(tell, feed, middle, full="hwm_too_low", wire=tell.wire(LITTLE_KERNEL))
    reader = behind(tell, middle, QUICK, agent=feed.party.agent)
    took = _sends_evenly(tell, feed, middle[1].inlet, tell.world.between(0.2, 1.0))
    end_all(tell, took, [middle], feed, reader)


def _rests(tell: Teller, seconds: float) -> Subscriber:
    feed = tell.publisher(topics=(None,), options={"sndhwm": 10})
    reader = _neighbour(tell, feed, QUICK)
    took = _sends_evenly(tell, feed, reader.inlet, seconds)
    ends(tell, took, feed, reader)
    return reader


def _sends_evenly(tell: Teller, feed: Publisher, inlet: Inlet, rest: float) -> float:
    """Half as much again in a rest as the pipe holds: so many seconds."""
    held = feed.outlet.socket.options["sndhwm"] + LITTLE_KERNEL + inlet.socket.options["rcvhwm"]
    rate = 1.5 * held / rest
    inlet.rest = Rest(every=int(KEEPS_UP * rate * rest), seconds=rest)
    seconds = tell.world.between(15, 40)
    tell.sends(feed, tell.steady(0.5, int(seconds * rate), 1 / rate))
    return 0.5 + seconds + 2 * rest + SETTLED


def _neighbour(tell: Teller, feed: Publisher, service: float) -> Subscriber:
    wire = tell.wire(LITTLE_KERNEL)
    return tell.neighbour(feed, service, full="hwm_too_low", options=LITTLE_INBOX, wire=wire)
