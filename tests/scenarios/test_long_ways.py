"""PUB → SUB over a way that takes long: a send buffer that holds less than is sent in a round trip lets no more through, however fast the link is."""

import re
from collections.abc import Iterator
from typing import Any

import long_way
import namespaces
import pytest
from judgement import Way
from namespaces import SENDER, Wire, inside
from system import System, another_system

LACKING = namespaces.missing() or long_way.missing()
pytestmark = [pytest.mark.scenario, pytest.mark.skipif(LACKING is not None, reason=str(LACKING))]

TOO_SMALL = 8192
ONE_WAY = 0.02


@pytest.fixture
def way() -> Iterator[Wire]:
    with long_way.long_way(ONE_WAY) as made:
        yield made


def play(system: System, way: Wire, sndbuf: int) -> set[tuple[str, int]]:
    """A receiver with time to spare, far away; what it does not get."""
    system.host("coast", inside(way.sender))
    system.host("island", inside(way.receiver))
    bound = ("--bind", f"tcp://{SENDER}:*", "--sndhwm", 1000, "--sndbuf", sndbuf, "--size", 1000)
    ferry = system.sender("ferry", *bound, host="coast")
    [endpoint] = ferry.expect("ready")
    pier = system.receiver("pier", "--connect", endpoint, "--subscribe", "", host="island")
    ferry.ask("await-subscriptions", 2, event="subscribed")
    ferry.ask("send", 6000, 0.001, event="sent")
    pier.ask("finish", event="finished")
    for program in (ferry, pier):
        program.close()
    return system.truth().missing("ferry", "pier")


def test_a_small_buffer_on_a_long_way_is_named_and_nothing_is_lost_with_the_one_that_is_advised(
    system: System, judge, way: Wire
) -> None:
    lost = len(play(system, way, TOO_SMALL))
    assert lost > 0

    def with_the_advised_buffer_nothing_is_lost(report: dict[str, Any]) -> None:
        (advice, *_) = report["incidents"][0]["advice"]
        raised = re.match(rf"Raise SNDBUF of ferry from {TOO_SMALL} to at least (\d+) bytes", advice)
        assert raised is not None, advice
        with long_way.long_way(ONE_WAY) as likewise, another_system(system.folder / "again") as again:
            assert play(again, likewise, int(raised[1])) == set()

    judge(
        [Way("ferry", "pier")],
        {("ferry → pier", "network"): lost},
        also=with_the_advised_buffer_nothing_is_lost,
    )
