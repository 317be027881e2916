"""Where a name alone does not tell which socket is meant, its label does."""

from datetime import datetime, timezone
from typing import Any

from hopwatch_analysis.report.labels import Identity, brief, labels

MORNING = datetime(2026, 5, 4, 7, 5, 9, tzinfo=timezone.utc)


def socket(node: str, name: str = "disp", **facts: Any) -> Identity:
    known: dict[str, Any] = {
        "type": "SUB",
        "host": "box",
        "pid": 123,
        "command": "python3 disp.py",
        "opened_at": MORNING,
    }
    return Identity(node, name, **(known | facts))


def told(*identities: Identity) -> list[str]:
    return list(labels(identities).values())


def test_a_name_of_its_own_is_label_enough() -> None:
    assert told(socket("a"), socket("b", "src")) == ["disp", "src"]


def test_a_restarted_process_is_told_by_its_pid_and_since_when() -> None:
    later = MORNING.replace(hour=8)
    assert told(socket("a"), socket("b", pid=124, opened_at=later)) == [
        "disp (pid 123, opened 07:05:09)",
        "disp (pid 124, opened 08:05:09)",
    ]


def test_two_processes_of_one_second_are_told_by_their_pids() -> None:
    assert told(socket("a"), socket("b", pid=124)) == ["disp (pid 123)", "disp (pid 124)"]


def test_the_same_name_on_two_hosts_is_told_by_the_host() -> None:
    assert told(socket("a"), socket("b", host="far")) == ["disp (on box)", "disp (on far)"]


def test_one_process_that_opened_it_twice_is_told_by_when() -> None:
    assert told(socket("a"), socket("b", opened_at=MORNING.replace(hour=8))) == [
        "disp (opened 07:05:09)",
        "disp (opened 08:05:09)",
    ]


def test_two_days_are_told_by_their_dates() -> None:
    assert told(socket("a"), socket("b", opened_at=MORNING.replace(day=5)))[1] == (
        "disp (opened 2026-05-05 07:05:09)"
    )


def test_two_types_of_one_name_are_told_by_them() -> None:
    assert told(socket("a"), socket("b", type="PUB")) == ["disp (SUB)", "disp (PUB)"]


def test_sockets_of_one_process_are_told_by_their_endpoints() -> None:
    pull, push = socket("a", endpoint="tcp://127.0.0.1:1"), socket("b", endpoint="tcp://127.0.0.1:2")
    assert told(pull, push) == ["disp (tcp://127.0.0.1:1)", "disp (tcp://127.0.0.1:2)"]


def test_sockets_of_one_process_and_endpoint_are_told_by_the_order_in_which_they_were_opened() -> None:
    """As where a whole program has one name."""
    there: dict[str, Any] = {"endpoint": "tcp://127.0.0.1:1"}
    sockets = [socket(str(number), number=number, **there) for number in (1, 2)]
    assert told(socket("q", type="PUB", number=1, **there), *sockets) == [
        "disp (PUB)",
        "disp (SUB, no. 1)",
        "disp (SUB, no. 2)",
    ]


def test_a_socket_of_a_proxy_is_told_by_the_proxy() -> None:
    proxy = socket("p", "feed", type="PROXY")
    backend = socket("78eee8aabbccddee", "xpub-78eee8", type="XPUB", proxy="p")
    frontend = socket("f", "disp", type="XSUB", proxy="p")
    assert told(backend, frontend, proxy) == ["feed", "feed's XPUB", "disp (XSUB of feed)"]


def test_where_all_else_is_the_same_the_id_tells() -> None:
    assert told(socket("aaaaaaaa"), socket("bbbbbbbb")) == ["disp [aaaaaa]", "disp [bbbbbb]"]


def test_a_name_that_nobody_gave_is_told_by_its_process() -> None:
    command = "/usr/bin/python3 /srv/app/worker.py --queue jobs"
    named = socket("78eee8aabbccddee", "push-78eee8", command=command)
    assert told(named) == ["push-78eee8 (pid 123, python3 worker.py --queue jobs)"]


def test_what_is_not_known_is_left_out() -> None:
    unknown = socket("78eee8aabbccddee", "push-78eee8", pid=None, command=None)
    assert told(unknown) == ["push-78eee8"]


def test_below_a_heading_the_name_of_a_socket_that_nobody_named_is_enough() -> None:
    (unnamed,) = told(socket("ab12cd9900", "pub-ab12cd"))
    assert unnamed == "pub-ab12cd (pid 123, python3 disp.py)"
    assert brief(unnamed, "ab12cd9900") == "pub-ab12cd"
    assert brief("disp (pid 123)", "ab12cd9900") == "disp (pid 123)"
