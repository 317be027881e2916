"""No nought is shown where nobody counts what a receiver lacks: in one look, and live."""

import json

from agent_process import eventually
from console_command import Starting, hopwatch
from terminal import terminal
from written_sockets import WrittenSockets


def test_of_a_receiver_whose_messages_nobody_numbered_it_is_not_said_that_none_is_missing(
    starting: Starting,
) -> None:
    agent = starting()
    sockets = WrittenSockets(agent.journal)
    sockets.open("screen", "SUB")
    sockets.count("screen", received=10)
    eventually(lambda: [told["numbered"] for told in agent.get("/v1/sockets")] == [False])
    run = hopwatch("status", "--agent", agent.url, "--all")
    assert "losses not counted here: nothing that it got was numbered" in " ".join(run.stdout.split())
    told = json.loads(hopwatch("status", "--agent", agent.url, "--json").stdout)
    assert [socket["numbered"] for socket in told["agents"][0]["sockets"]] == [False]
    with terminal("top", "--agent", agent.url, columns=120) as shown:
        shown.becomes(lambda text: "uncounted" in text, what="that nobody counts what it lacks")
    sockets.close()
