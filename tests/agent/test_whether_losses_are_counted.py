"""A receiver that gets only messages which nobody numbered lacks nothing that anybody counts: an agent says so of each socket."""

import hopwatch
import pytest
import zmq
from agent_process import AgentProcess, eventually


@pytest.mark.parametrize(("sequence", "numbered"), [("stamp", True), ("count", False), (None, False)])
def test_whether_what_came_was_numbered_is_known_once_something_has_come(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch, sequence: str | None, numbered: bool
) -> None:
    agent.start()
    monkeypatch.setenv("HOPWATCH_DIR", str(agent.journal))

    def told() -> dict[str, bool | None]:
        return {one["name"]: one["numbered"] for one in agent.get("/v1/sockets")}

    with zmq.Context() as context:
        push = hopwatch.wrap(context.socket(zmq.PUSH), name="work", sequence=sequence)
        pull = hopwatch.wrap(context.socket(zmq.PULL), name="worker", sequence=sequence)
        pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
        eventually(lambda: told() == {"work": None, "worker": None})
        push.send(b"job")
        assert pull.recv() == b"job"
        eventually(lambda: told() == {"work": None, "worker": numbered})
        push.close(linger=1000)
        pull.close()
    eventually(lambda: told() == {"work": None, "worker": numbered})
