"""All stories are landed in one folder: what this says at once would else be said by a report of all of them, and of each test that reads it."""

import importlib.util
from collections import Counter
from pathlib import Path

from landed_folder import LandedFolder

HERE = Path(__file__).parent


def test_no_two_stories_have_a_socket_of_the_same_name() -> None:
    story, told = LandedFolder(), []
    for file in sorted(HERE.glob("test_*.py")):
        text = file.read_text()
        if "\nSTORIES = " in text and "joint_report" in text:
            spec = importlib.util.spec_from_file_location(f"stories_of_{file.stem}", file)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            told += [tell(story) for tell in module.STORIES]
    opened = Counter((row["socket"], row["name"]) for row in story.rows["socket"] if row["state"] == "opened")
    assert len(told) > 50
    assert [name for (_, name), count in opened.items() if count > 1] == []
