"""What ``/v1`` has promised: additions are written down, and what would break a promise is found before anybody else finds it."""

import copy
import difflib
from collections.abc import Callable
from itertools import islice
from typing import Any

import contract
import pytest
from contract import HOW_TO_ADD, HOW_TO_BREAK, Description, as_text, breaks, described, written

LANE = "GET /v1/lanes 200[]"
LIVE = "GET /v1/live 200 data"


def test_nothing_that_was_promised_is_broken() -> None:
    broken = breaks(written(), described())
    assert not broken, "\n".join(["", *broken, HOW_TO_BREAK])


def test_what_is_added_is_written_down() -> None:
    before, now = (as_text(each).splitlines() for each in (written(), described()))
    new = list(islice(difflib.unified_diff(before, now, "promised", "now", lineterm="", n=2), 60))
    assert not new, "\n".join(["", *new, HOW_TO_ADD])


def schema(description: Description, name: str) -> dict[str, Any]:
    found: dict[str, Any] = description["components"]["schemas"][name]
    return found


def parameter(description: Description, path: str, name: str) -> dict[str, Any]:
    given = description["paths"][path]["get"]["parameters"]
    return next(each for each in given if each["name"] == name)


def remove_field(now: Description) -> None:
    del schema(now, "LaneModel")["properties"]["lost"]


def rename_field(now: Description) -> None:
    fields = schema(now, "LaneModel")["properties"]
    fields["missing"] = fields.pop("lost")


def change_type(now: Description) -> None:
    schema(now, "LaneModel")["properties"]["count"]["type"] = "string"


def make_null(now: Description) -> None:
    schema(now, "LaneModel")["properties"]["count"] = {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def need_not_be_there(now: Description) -> None:
    schema(now, "LaneModel")["required"].remove("count")


def change_what_a_field_is_made_of(now: Description) -> None:
    del schema(now, "BacklogModel")["properties"]["at_least"]


def change_items(now: Description) -> None:
    schema(now, "StatusModel")["properties"]["versions"]["additionalProperties"]["type"] = "integer"


def make_an_object_of_a_list(now: Description) -> None:
    answer = now["paths"]["/v1/lanes"]["get"]["responses"]["200"]["content"]["application/json"]
    answer["schema"] = {"type": "object", "properties": {"lanes": answer["schema"]}}


def remove_path(now: Description) -> None:
    del now["paths"]["/v1/lanes"]


def remove_parameter(now: Description) -> None:
    given = now["paths"]["/v1/lanes"]["get"]["parameters"]
    given.remove(parameter(now, "/v1/lanes", "role"))


def need_parameter(now: Description) -> None:
    parameter(now, "/v1/lanes", "role")["required"] = True


def add_parameter_that_is_needed(now: Description) -> None:
    new = {"name": "host", "in": "query", "required": True, "schema": {"type": "string"}}
    now["paths"]["/v1/lanes"]["get"]["parameters"].append(new)


def allow_less(now: Description) -> None:
    parameter(now, "/v1/lanes", "limit")["schema"]["maximum"] = 100


def allow_fewer_words(now: Description) -> None:
    parameter(now, "/v1/lanes", "role")["schema"]["enum"].remove("count")


def want_another_pattern(now: Description) -> None:
    parameter(now, "/v1/lanes", "socket")["schema"]["pattern"] = "^[0-9a-f]{32}$"


def answer_with_another_kind(now: Description) -> None:
    content = now["paths"]["/v1/lanes"]["get"]["responses"]["422"]["content"]
    content["application/json"] = content.pop("application/problem+json")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (remove_field, [f"{LANE}: lost is gone"]),
        (rename_field, [f"{LANE}: lost is gone"]),
        (change_type, [f"{LANE}: count was integer and is string"]),
        (make_null, [f"{LANE}: count was integer and is integer or null"]),
        (need_not_be_there, [f"{LANE}: count need not be there any more"]),
        (
            change_items,
            [
                "GET /v1/status 200: versions[] was string and is integer",
                f"{LIVE}: status.versions[] was string and is integer",
            ],
        ),
        (make_an_object_of_a_list, ["GET /v1/lanes 200 was array and is object"]),
        (remove_path, ["GET /v1/lanes is gone"]),
        (remove_parameter, ["GET /v1/lanes: the parameter role is gone"]),
        (need_parameter, ["GET /v1/lanes: the parameter role has to be given now"]),
        (add_parameter_that_is_needed, ["GET /v1/lanes: the parameter host has to be given now"]),
        (allow_less, ["GET /v1/lanes: the parameter limit has the maximum 100 now, and had 10000"]),
        (allow_fewer_words, ["GET /v1/lanes: the parameter role cannot be count any more"]),
        (
            want_another_pattern,
            ["GET /v1/lanes: the parameter socket has to be like ^[0-9a-f]{32}$ now"],
        ),
        (
            answer_with_another_kind,
            ["GET /v1/lanes: the answer 422 is no application/problem+json any more"],
        ),
    ],
)
def test_a_broken_promise_is_told(change: Callable[[Description], None], told: list[str]) -> None:
    before = described()
    now = copy.deepcopy(before)
    change(now)
    assert breaks(before, now) == told


def test_a_broken_promise_is_told_wherever_it_shows() -> None:
    before = described()
    now = copy.deepcopy(before)
    change_what_a_field_is_made_of(now)
    found = breaks(before, now)
    assert f"{LANE}: backlog.at_least is gone" in found
    assert "GET /v1/sockets 200[]: backlog_sent.at_least is gone" in found


def add_field(now: Description) -> None:
    schema(now, "LaneModel")["properties"]["more"] = {"type": "string"}


def add_parameter(now: Description) -> None:
    new = {"name": "host", "in": "query", "required": False, "schema": {"type": "string"}}
    now["paths"]["/v1/lanes"]["get"]["parameters"].append(new)


def allow_more(now: Description) -> None:
    parameter(now, "/v1/lanes", "limit")["schema"]["maximum"] = 100_000
    parameter(now, "/v1/lanes", "role")["schema"]["enum"].append("all")


def never_null(now: Description) -> None:
    schema(now, "LaneModel")["properties"]["topic"] = {"type": "string"}


def add_path(now: Description) -> None:
    now["paths"]["/v2/lanes"] = now["paths"]["/v1/lanes"]


@pytest.mark.parametrize("change", [add_field, add_parameter, allow_more, never_null, add_path])
def test_an_addition_breaks_nothing(change: Callable[[Description], None]) -> None:
    before = described()
    now = copy.deepcopy(before)
    change(now)
    assert breaks(before, now) == []
    assert now != before


def test_what_breaks_a_promise_is_not_written_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "openapi.json"
    promised = described()
    add_field(promised)
    file.write_text(contract.as_text(promised))
    monkeypatch.setattr(contract, "FILE", file)
    assert contract.main() == 1
    assert f"{LANE}: more is gone" in capsys.readouterr().err
    assert written() == promised

    remove_field(promised)
    del schema(promised, "LaneModel")["properties"]["more"]
    file.write_text(contract.as_text(promised))
    assert contract.main() == 0
    assert written() == described()
