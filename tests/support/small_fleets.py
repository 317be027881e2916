"""Small simulated fleets with clocks that are wrong, whose report must equal the truth."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from docket import Case
from hopwatch_simulate.fleet import Drawn, Fleet, draw, simulate
from hopwatch_simulate.landing import land
from hopwatch_simulate.situations import ALL, LASTING, UNTOLD

STORIES_OF_A_FLEET = 5
SEVERAL_LANES_END_TOGETHER = (20, 22, 25)
IN_PLACE_OF_0 = 80
"""The names of site 0 do not say so."""
OF_CLOCKS = Drawn(11, 3, 0.001, ("fan_in", "reader_closes", "killed_reader", "quiet_chain"), 4.0, 70)
"""A fleet whose stories compare the clocks of all its hosts."""


def _each_story(seed: int) -> list[Drawn]:
    """Each story once, and once more those of which more depends on the seed."""
    names = [*sorted(set(ALL) - set(UNTOLD) - set(LASTING)), *sorted(UNTOLD), *sorted(LASTING)]
    stories = [
        tuple(names[first : first + STORIES_OF_A_FLEET]) for first in range(0, len(names), STORIES_OF_A_FLEET)
    ]
    fleets = [
        Drawn(seed + number, 3, 0.001, told, 3.0, number or IN_PLACE_OF_0)
        for number, told in enumerate(stories)
    ]
    more = [
        Drawn(
            each,
            draw(each).hosts,
            0.002,
            ("slow_before_a_proxy", "killed_proxy", "bursts"),
            3.0,
            each + len(fleets),
        )
        for each in SEVERAL_LANES_END_TOGETHER
    ]
    found_wrong = Drawn(
        380,
        2,
        0.002,
        ("oversize_to_a_bound_end", "dark_feed"),
        3.0,
        len(fleets) + max(SEVERAL_LANES_END_TOGETHER) + 1,
    )
    return [*fleets, *more, found_wrong, OF_CLOCKS]


FLEETS = _each_story(700)
simulated = cache(simulate)


def landed(fleets: Sequence[Drawn], folder: Path) -> dict[str, Case]:
    """Land fleets of different sites, each in a folder of its own, and return them by their names."""
    cases = {}
    for drawn in fleets:
        place = folder / f"site-{drawn.site}"
        place.mkdir()
        land(simulated(drawn), place)
        cases[place.name] = Case(mark_of_site(drawn), (place,))
    return cases


def mark_of_site(drawn: Drawn) -> str:
    """Return what the names of a fleet's hosts and sockets end with."""
    return f"@{drawn.site}"


def of_story(name: str, seed: int = 1) -> Fleet:
    """Return a fleet of two hosts, of one story."""
    return simulate(Drawn(seed, 2, 0.0, (name,)))


def rows(fleet: Fleet, kind: str) -> list[dict[str, Any]]:
    """Return what the agents of a fleet land of a kind."""
    return [row for host in fleet.hosts for of_kind, row in host.rows if of_kind == kind]
