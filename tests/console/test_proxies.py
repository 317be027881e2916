"""A proxy's ends count no messages but frames: these are told, and that they are frames."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch
from proxied_sockets import proxied_sockets
from terminal import terminal


@pytest.fixture(scope="module")
def agent(starting: Starting) -> Iterator[AgentProcess]:
    agent = starting()
    with proxied_sockets(agent.journal):
        yield agent


def ends_told(agent: AgentProcess) -> dict[str, Any]:
    document = json.loads(hopwatch("status", "--json", "--agent", agent.url).stdout)
    return {socket["name"]: socket for socket in document["agents"][0]["sockets"] if socket["proxy"]}


def moving(ends: dict[str, Any]) -> bool:
    return {*ends} == {"front", "back"} and all(
        end["rates"][way] > 0
        for end, way in ((ends["front"], "proxied_in_frames"), (ends["back"], "proxied_out_frames"))
    )


def test_programs_are_told_the_frames_of_a_proxy_and_which_two_ends_are_its(agent: AgentProcess) -> None:
    ends = eventually(lambda: ends if moving(ends := ends_told(agent)) else None)
    assert ends["front"]["proxy"] == ends["back"]["proxy"]
    assert ends["front"]["counters"]["proxied_in_frames"] > 0
    assert ends["back"]["counters"]["proxied_out_frames"] > 0
    assert ends["front"]["counters"]["received"] == ends["back"]["counters"]["sent"] == 0


def test_status_tells_of_frames_and_never_that_nothing_has_gone_through_a_proxy(agent: AgentProcess) -> None:
    eventually(lambda: moving(ends_told(agent)))
    told = hopwatch("status", "--all", "--agent", agent.url).stdout
    assert re.search(r"front \(XSUB\).*\n(.*\n)?.*receives [\d.,]+ frames/s", told)
    assert re.search(r"back \(XPUB\).*\n(.*\n)?.*sends [\d.,]+ frames/s", told)
    assert "nothing has gone through it" not in told


def test_top_shows_frames_and_a_sparkline_of_them(agent: AgentProcess) -> None:
    with terminal("top", "--agent", agent.url, columns=160, lines=30) as shown:
        shown.becomes(
            lambda text: bool(re.search(r"back +XPUB +[\d,]+ fr .*[▁▂▃▄▅▆▇█]{3}", text)), what="frames sent"
        )
        shown.becomes(lambda text: bool(re.search(r"front +XSUB .* [\d,]+ fr ", text)), what="frames read")
        shown.press("\r")
        shown.becomes(
            lambda text: (
                bool(re.search(r"frames that a proxy (sent|read) +[\d,]+ +[\d,.]+/s", text))
                and "frames/s in the last minute" in text
                and not re.search(r"^ *sent ", text, re.MULTILINE)
            ),
            what="the details of a proxy's end",
        )
