"""What arguments of ``hopwatch analyze`` mean, and what it says of those, and of places, that cannot be used: all before Spark starts."""

import argparse
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hopwatch.cli import main
from hopwatch_analysis.arguments import moment

Analyze = Callable[..., tuple[object, str]]


@pytest.fixture
def analyze(capsys: pytest.CaptureFixture[str]) -> Analyze:
    """The command in this process: its status, and what it says on standard error."""

    def run(*arguments: object) -> tuple[object, str]:
        try:
            status: object = main(["analyze", *map(str, arguments)])
        except SystemExit as ended:
            status = ended.code
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("90s", timedelta(seconds=90)),
        ("30m", timedelta(minutes=30)),
        ("1.5h", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
    ],
)
def test_how_long_ago_is_a_time(text: str, ago: timedelta) -> None:
    before = datetime.now(timezone.utc)
    told = moment(text)
    assert before - ago <= told <= datetime.now(timezone.utc) - ago


@pytest.mark.parametrize("text", ["2026-05-04T12:30:00", "2026-05-04T12:30:00Z", "2026-05-04T14:30:00+02:00"])
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert moment(text) == datetime(2026, 5, 4, 12, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize("text", ["", "yesterday", "24", "24 h", "-2h", "1e9d", "9999999999d", "٣h"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="or as 30m, 24h or 7d ago"):
        moment(text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "yesterday"], "argument --from: 'yesterday' is no time: say it as 2026-05-04"),
        (["--guard", "-5"], "argument --guard: '-5' is no number of seconds: say 0 or more"),
        (["--guard", "nan"], "argument --guard: 'nan' is no number of seconds"),
        (["--once"], "--once goes with --follow"),
        (["--every", "0"], "--every goes with --follow"),
        (["--window", "60"], "--window goes with --follow"),
        (["--follow", "--to", "2026-05-04"], "--from and --to are for what has an end"),
        (["--follow", "--may-be-empty"], "--may-be-empty is for what has an end"),
        (
            ["--from", "2026-05-04T12", "--to", "2026-05-04"],
            "--from 2026-05-04 12:00:00 is later than --to 2026-05-04",
        ),
    ],
)
def test_arguments_that_are_wrong_or_do_not_go_together_are_named(
    analyze: Analyze, landed: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    status, said = analyze(landed, "--out", tmp_path / "out", *arguments)
    assert status == 2
    assert words in said.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say with --out DIR where report and tables are to go"),
        (["--ouput", "report"], "unrecognized arguments: --ouput"),
    ],
)
def test_without_a_place_for_the_report_one_is_asked_for_and_a_misspelt_one_is_named(
    analyze: Analyze, landed: Path, arguments: list[str], words: str
) -> None:
    status, said = analyze(landed, *arguments)
    assert status == 2
    assert words in said


def test_a_file_in_place_of_the_folder_is_left_as_it_is(
    analyze: Analyze, landed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    said = f"hopwatch analyze: cannot write into {out} (--out): Not a directory\n"
    assert analyze(landed, "--out", out) == (2, said)
    assert out.read_text() == "mine"


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_where_nothing_has_landed_yet_that_is_an_error_unless_it_may_be_so(
    analyze: Analyze, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, wanted in ((), 2), (("--may-be-empty",), 0):
        status, said = analyze(tmp_path / folder, "--out", tmp_path / "out", *arguments)
        assert status == wanted
        assert str(tmp_path / folder) in said.splitlines()[-1]
        assert not (tmp_path / "out").exists()


def test_what_has_landed_and_cannot_be_used_is_an_error_all_the_same(
    analyze: Analyze, tmp_path: Path
) -> None:
    (tmp_path / "landed" / "kind=weather").mkdir(parents=True)
    (tmp_path / "landed" / "kind=weather" / "x.parquet").write_text("rain")
    status, said = analyze(tmp_path / "landed", "--out", tmp_path / "out", "--may-be-empty")
    assert status == 2
    assert "'weather' is unknown" in said
