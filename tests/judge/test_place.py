"""Where a process runs is told as far as it is known."""

import pytest
from hopwatch_judge import Place


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(pod="feed-0"), "pod feed-0"),
        (Place(container="app", pod="feed-0"), "container app of pod feed-0"),
        (Place(namespace="trading", pod="feed-0", node="n1"), "pod trading/feed-0, on node n1"),
        (Place(owner="Job/nightly"), "a pod (Job/nightly)"),
    ],
)
def test_a_place_is_told_as_far_as_it_is_known(place: Place, text: str) -> None:
    assert place.text == text
