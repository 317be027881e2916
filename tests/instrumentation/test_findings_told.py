"""FINDINGS.md has a row for each rule that the code can tell, and for no other; rules that need an unreadable memory are told there."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from journal_reader import Journal

REPO = Path(__file__).parents[2]
SOURCES = [
    path for folder in ("instrumentation", "agent", "analysis") for path in (REPO / folder).rglob("*.py")
]


def rules_of_the_code() -> set[str]:
    return {rule for path in SOURCES for rule in rules_within(ast.parse(path.read_text()))}


def rules_within(module: ast.Module) -> Iterator[str]:
    """Of each ``Finding(rule=...)``, of each row that the analysis makes, and of constants that either names."""
    constants = {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
        for told in rules_of_call(call):
            if isinstance(told, ast.Constant):
                yield told.value
            elif isinstance(told, ast.Name) and told.id in constants:
                yield constants[told.id]


def rules_of_call(call: ast.Call) -> Iterator[ast.expr]:
    name = ast.unparse(call.func)
    if name == "Finding":
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "rule")
    elif name == "_finding":
        yield call.args[1]
    elif isinstance(call.func, ast.Attribute) and ast.unparse(call).endswith(".alias('rule')"):
        yield from call.func.value.args if isinstance(call.func.value, ast.Call) else ()


def rules_of_the_table() -> set[str]:
    rows = re.findall(r"^\| (`.*?`) \|", (REPO / "instrumentation/FINDINGS.md").read_text(), re.MULTILINE)
    return {rule for row in rows for rule in re.findall(r"`(\w+)`", row)}


def test_every_rule_has_a_row_and_every_row_a_rule() -> None:
    told = rules_of_the_code()
    assert {"no_linger", "two_threads", "uneven_marks", "receiver_not_wrapped"} <= told
    assert rules_of_the_table() == told


UNREADABLE = """
import ctypes, os
import hopwatch, zmq

PR_SET_DUMPABLE = 4
context = zmq.Context()
hopwatch.wrap(context.socket(zmq.PAIR))  # the journal is open
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)  # as of a process that has changed its user
if os.geteuid() == 0:
    os.seteuid(65534)
for kind in (zmq.PUB, zmq.XPUB, zmq.ROUTER):
    socket = hopwatch.wrap(context.socket(kind), name=kind.name)
    socket.bind(f"inproc://{kind.name}")
    print(kind.name, *(finding.rule for finding in hopwatch.findings(socket)))
context.destroy(linger=0)
"""


def test_what_cannot_be_probed_where_memory_cannot_be_read_is_told(journal: Journal) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", UNREADABLE], check=True, capture_output=True, text=True, timeout=30
    )
    assert ended.stdout.splitlines() == [
        "PUB onsets_not_probed connections_not_watched",
        "XPUB onsets_not_probed connections_not_watched",
        "ROUTER unroutable_not_probed connections_not_watched",
    ]
    assert ended.stderr == ""
    probed = {event["name"]: event["probed"] for event in journal.events("opened")}
    assert {name: probed[name] for name in ("PUB", "XPUB", "ROUTER")} == dict.fromkeys(
        ("PUB", "XPUB", "ROUTER"), False
    )
    assert journal.header()["faults"] == 0
