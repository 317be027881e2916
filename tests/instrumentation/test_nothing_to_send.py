"""pyzmq takes None for an empty frame where ``copy_threshold`` is 0 and ``copy`` False; so does a wrapped socket."""

import hopwatch
import pytest
import zmq
from journal_reader import Journal


@pytest.mark.parametrize("sequence", ["bare", None, "count", "stamp"])
@pytest.mark.parametrize("parts", [[None], [None, None], [b"topic", None], [None, b"body"]])
def test_nothing_is_sent_as_an_empty_frame(
    context: zmq.Context, journal: Journal, link, sequence: str | None, parts: list[bytes | None]
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    pub.copy_threshold = 0
    if sequence != "bare":
        hopwatch.wrap(pub, name="pub", sequence=sequence)
        hopwatch.wrap(sub, name="sub", sequence=sequence)
    sub.subscribe(b"")
    link(pub, sub)
    for _ in range(3):
        for part in parts[:-1]:
            pub.send(part, zmq.SNDMORE, copy=False)
        pub.send(parts[-1], copy=False)
    for _ in range(3):
        assert sub.recv_multipart() == [part or b"" for part in parts]
    if sequence != "bare":
        assert (journal.socket("pub")["sent"], journal.socket("sub")["received"]) == (3, 3)
        assert journal.socket("pub")["sent_bytes"] == 3 * sum(len(part or b"") for part in parts)
        assert journal.faults() == []
