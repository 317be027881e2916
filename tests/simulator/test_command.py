"""The simulator from the command line."""

import json
from pathlib import Path

import pytest
from hopwatch_simulate.__main__ import main


def test_it_writes_files_and_the_truth_and_says_how_much_was_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "fleet"), "--seed", "5", "--hosts", "2"]) == 0
    truth = json.loads((tmp_path / "fleet" / "truth.json").read_text())
    lost = sum(hop["lost"] for hop in truth["hops"])
    assert f"{lost} messages lost" in capsys.readouterr().out
    assert list((tmp_path / "fleet").glob("kind=socket/date=*/host=*/*.parquet"))


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "theirs").touch()
    assert main([str(tmp_path), "--seed", "5"]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]


@pytest.mark.parametrize("wrong", [("--hosts", "0"), ("--hours", "-1"), ("--hours", "soon")])
def test_numbers_that_mean_nothing_are_refused(wrong: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path), "--seed", "5", *wrong])
    assert ended.value.code == 2
