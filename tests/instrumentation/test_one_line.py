"""What a user adds to a program is one line, and the import that it takes: shown by the programs of the classic troubles."""

import difflib

import pytest
from troubles import PROGRAMS, with_one_line

OF_ONE_SOCKET = ["fast_publisher.py", "slow_subscriber.py", "generous_subscriber.py", "huge_messages.py"]


@pytest.mark.parametrize("script", OF_ONE_SOCKET)
def test_one_line_and_its_import_are_all_that_differs(script: str) -> None:
    source = (PROGRAMS / script).read_text()
    differences = difflib.ndiff(source.splitlines(), with_one_line(source).splitlines())
    changes = [line for line in differences if line[0] in "+-"]
    assert changes == ["+ import hopwatch", '+ hopwatch.wrap(socket, sequence="stamp")']


def test_programs_of_several_sockets_are_run_as_they_are() -> None:
    others = {path.name for path in PROGRAMS.glob("*.py")} - set(OF_ONE_SOCKET)
    assert others == {"proxied.py", "proxied_and_mended.py", "lost_tail.py"}
    assert [name for name in others if "hopwatch" in (PROGRAMS / name).read_text()] == []
