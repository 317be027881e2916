"""A name that an answer does not have is found in what jq has picked."""

from picked_values import never_told, of_all


def test_what_is_null_in_some_was_told_and_in_all_was_not() -> None:
    assert never_told('{"a": null, "b": 1}\n{"a": 2, "b": null, "c": {"d": null}}') == {"c.d"}


def test_what_a_list_has_of_none_was_not_told() -> None:
    assert never_told('[{"peers": [{"remote": "x", "rtt": null}, {"remote": null, "rtt": null}]}]') == {
        "peers.rtt"
    }
    assert never_told('{"peers": [], "errors": {}}') == set()


def test_what_is_selected_by_is_picked_instead() -> None:
    command = "curl -s url | jq '.[] | select(.tcp.by == \"x\" and (.tcp.here | not)) | {name, by: .tcp.by}'"
    assert of_all(command) == (
        """curl -s url | jq '.[] | {"by tcp.by": .tcp.by, "by tcp.here": .tcp.here, name, by: .tcp.by}'"""
    )
