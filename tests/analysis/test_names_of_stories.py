"""All stories are landed in one folder: what this says at once would else be said by a report of all of them, and of each test that reads it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from landed_folder import LandedFolder

HERE = Path(__file__).parent


def told_by_modules() -> Iterator[tuple[str, LandedFolder]]:
    for file in sorted(HERE.glob("test_*.py")):
        text = file.read_text()
        if "\nSTORIES = " in text and "joint_report" in text:
            spec = importlib.util.spec_from_file_location(f"stories_of_{file.stem}", file)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            story = LandedFolder()
            for tell in module.STORIES:
                tell(story)
            yield file.name, story


def opened(story: LandedFolder) -> list[dict[str, Any]]:
    return [row for row in story.rows["socket"] if row["state"] == "opened"]


def test_no_two_modules_have_a_socket_or_a_proxy_of_the_same_name() -> None:
    told_by: dict[str, set[str]] = {}
    for module, story in told_by_modules():
        for row in opened(story) + story.rows["proxy"]:
            told_by.setdefault(row["name"], set()).add(module)
    assert len(told_by) > 100
    assert {name: modules for name, modules in told_by.items() if len(modules) > 1} == {}


def test_no_module_opens_one_socket_twice() -> None:
    for module, story in told_by_modules():
        sockets = [row["socket"] for row in opened(story)]
        assert len(sockets) == len(set(sockets)), module
