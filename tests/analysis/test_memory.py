from pathlib import Path

import pytest
from hopwatch_analysis.spark.memory import java_memory


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (str(3 << 30), "1536m"),
        (str(512 << 20), "1024m"),  # Spark does not start with much less
    ],
)
def test_half_of_what_a_container_may_use_is_java_s(tmp_path: Path, limit: str, told: str) -> None:
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    assert java_memory([tmp_path / "memory.max"]) == told


def test_without_a_limit_it_is_half_of_the_machine_s_and_8_gb_at_most(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("max\n")
    without = java_memory([tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"])
    assert without == java_memory([])
    assert 1024 <= int(without.removesuffix("m")) <= 8192
