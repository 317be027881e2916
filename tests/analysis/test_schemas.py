from hopwatch_agent.landing import schemas as landed
from hopwatch_analysis import schemas
from pyspark.sql.pandas.types import from_arrow_schema


def test_the_analysis_expects_field_by_field_what_the_agent_lands() -> None:
    assert schemas.SCHEMA_VERSION == landed.SCHEMA_VERSION
    assert list(schemas.KINDS) == list(landed.KINDS)
    for kind in landed.KINDS:
        expected = [(field.name, field.dataType) for field in from_arrow_schema(landed.schema_of(kind))]
        assert [(field.name, field.dataType) for field in schemas.schema_of(kind)] == expected, kind
