"""A fleet drawn from a seed: which stories happen on it, and all that comes of them."""

import math
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from hopwatch_simulate.hosts import Host
from hopwatch_simulate.site import Site
from hopwatch_simulate.situations import DRAWN, EVERY, LASTING, LOSSY, QUIET, UNTOLD
from hopwatch_simulate.telling import Teller
from hopwatch_simulate.truth import Json, truth_of
from hopwatch_simulate.world import EPOCH, World

LONGEST_STORY = 8.0
LONGEST_OVERLOAD = 55.0
QUIET_FLEETS = 0.1
UNTOLD_FLEETS = 0.05
LASTING_FLEETS = 0.1
DRAWN_FLEETS = 0.15
MOST_SKEW = 3.0
SKEWED_FLEETS = 0.7
LATE_HOSTS = 0.2


@dataclass(frozen=True)
class Drawn:
    """What the seed and the user's wishes make of a fleet."""

    seed: int
    hosts: int
    hours: float
    stories: tuple[str, ...]
    skew: float = MOST_SKEW
    """Seconds by which its hosts' clocks are wrong at most."""
    site: int = 0
    """Fleets of different sites (0 to 80) can be analysed together."""


@dataclass(frozen=True)
class Fleet:
    """What its agents land, by host, and the truth. The agents of ``late`` hosts land all but the first files late."""

    hosts: tuple[Host, ...]
    late: frozenset[str]
    truth: Json


def draw(seed: int, hosts: int | None = None, hours: float = 0.002) -> Drawn:
    """A fleet by its seed; as many stories as hosts, more or less."""
    chance = World(seed).chance
    number = hosts or chance.randint(1, 6)
    is_quiet = chance.random() < QUIET_FLEETS
    names = list(QUIET if is_quiet else {**QUIET, **LOSSY})
    count = max(1, round(number * chance.uniform(0.6, 1.4)))
    skew = MOST_SKEW if chance.random() < SKEWED_FLEETS else 0.0
    drawn = [chance.choice(names) for _ in range(count)]
    if not is_quiet and chance.random() < UNTOLD_FLEETS:
        drawn.append(chance.choice(list(UNTOLD)))
    if not is_quiet and chance.random() < LASTING_FLEETS:
        drawn.append(chance.choice(list(LASTING)))
    if not is_quiet and chance.random() < DRAWN_FLEETS:
        drawn.append(chance.choice(list(DRAWN)))
    return Drawn(seed, number, hours, tuple(drawn), skew)


def simulate(drawn: Drawn) -> Fleet:
    """Let the stories of a fleet happen."""
    world = World(drawn.seed)
    site = Site(world, drawn.site)
    site.add_hosts(drawn.hosts, drawn.skew)
    span = drawn.hours * 3600
    lasts_long = any(name in LASTING for name in drawn.stories)
    ends = span + (LONGEST_OVERLOAD if lasts_long else LONGEST_STORY)
    for name in drawn.stories:
        begins = world.between(0, span)
        world.at(begins, partial(EVERY[name], Teller(site, begins, ends)))
    world.run(until=ends)
    hosts = tuple(agent.host for agent in site.agents)
    late = frozenset(host.name for host in hosts if world.chance.random() < LATE_HOSTS)
    about = {"seed": drawn.seed, "stories": list(drawn.stories), "hours": drawn.hours}
    hosts_told = [{"host": host.name, "clock_ahead_by": round(host.skew, 6)} for host in hosts]
    window = {"from": EPOCH.isoformat(), "to": (EPOCH + timedelta(seconds=math.ceil(ends))).isoformat()}
    return Fleet(hosts, late, {**about, "window": window, "hosts": hosts_told, **truth_of(site)})
