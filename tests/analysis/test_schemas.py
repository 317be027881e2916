import pytest
from hopwatch_agent import records
from hopwatch_agent.landing import schemas as landed
from hopwatch_agent.live.rows import NO_STREAM, role_of
from hopwatch_analysis.files import schemas
from pyspark.sql.pandas.types import from_arrow_schema


def test_the_analysis_expects_field_by_field_what_the_agent_lands() -> None:
    assert schemas.SCHEMA_VERSION == landed.SCHEMA_VERSION
    assert list(schemas.KINDS) == list(landed.KINDS)
    for kind in landed.KINDS:
        expected = [(field.name, field.dataType) for field in from_arrow_schema(landed.schema_of(kind))]
        assert [(field.name, field.dataType) for field in schemas.schema_of(kind)] == expected, kind


@pytest.mark.parametrize(
    ("kind", "events", "others"),
    [
        ("endpoint", records.EndpointEvent.__subclasses__(), set()),
        ("subscription", [records.Subscribe, records.Unsubscribe], set()),
        ("gap", [records.Gap, records.Late, records.Skipped], set()),
        (
            "connection",
            [*records.ConnectionEvent.__subclasses__(), records.Handshake, records.Retried, records.HandshakeFailed],
            {f"monitor_{state}" for state in ("attached", "stopped", "application")},
        ),
    ],
)  # fmt: skip
def test_each_event_that_agents_land_is_a_known_action(
    kind: str, events: list[type[records.Event]], others: set[str]
) -> None:
    tags = {str(event.__struct_config__.tag) for event in events}
    assert set(schemas.VALUES[kind]["action"]) == tags | others


def test_each_role_of_a_lane_is_known() -> None:
    roles = {role_of(socket, stream) for socket, stream in (("a", "a"), ("a", "b"), ("a", NO_STREAM))}
    assert set(schemas.VALUES["lane"]["role"]) == roles


def test_values_are_told_of_columns_that_are_there() -> None:
    assert all(columns.keys() <= schemas.KINDS[kind].keys() for kind, columns in schemas.VALUES.items())
