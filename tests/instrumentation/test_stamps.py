"""Stamps travel at the end of the last frame, and no application sees them."""

import hopwatch
import pytest
import zmq
from hopwatch import stamp
from journal_reader import Journal


@pytest.fixture
def stamped(context: zmq.Context, journal: Journal, link):
    """A stamping PUSH and a PULL that was told so."""
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence="stamp")
    link(push, pull)
    return push, pull


def test_a_bare_receiver_sees_the_stamp_as_documented(context: zmq.Context, journal: Journal, link) -> None:
    push, pull = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp"), context.socket(zmq.PULL)
    link(push, pull)
    push.send(b"first")
    push.send(b"second")
    pull.recv_multipart()
    (frame,) = pull.recv_multipart()
    read = stamp.decode(frame)
    assert (frame[:-48], frame[-4:]) == (b"second", b"\x02WH\xff")
    assert (read.flags, read.lane, read.number, read.lane_number) == (stamp.SHARED_OUT, 0, 1, 1)


def test_rcvmore_is_false_after_the_applications_last_frame(stamped) -> None:
    push, pull = stamped
    push.send_multipart([b"a", b"b"])
    assert (pull.recv(), pull.rcvmore, pull.getsockopt(zmq.RCVMORE)) == (b"a", 1, 1)
    assert (pull.recv(), pull.rcvmore, pull.get(zmq.RCVMORE)) == (b"b", 0, 0)


def test_frames_received_without_copy_tell_the_applications_more(stamped) -> None:
    push, pull = stamped
    push.send_multipart([b"a", b"b"])
    first, second = pull.recv_multipart(copy=False)
    assert (first.bytes, first.more, second.bytes, second.more) == (b"a", True, b"b", False)


def test_a_poll_between_two_frames_finds_the_second(stamped) -> None:
    push, pull = stamped
    push.send_multipart([b"a", b"b"])
    assert pull.recv() == b"a"
    assert pull.poll(0) == zmq.POLLIN
    assert pull.get(zmq.EVENTS) & zmq.POLLIN
    assert pull.recv() == b"b"
    assert pull.poll(0) == 0


def test_recv_into_gets_the_frame_and_not_the_stamp(stamped) -> None:
    push, pull = stamped
    push.send(b"0123456789")
    push.send(b"next")
    buffer = bytearray(4)
    assert pull.recv_into(buffer) == 10
    assert buffer == b"0123"
    assert pull.recv() == b"next"


def test_strings_objects_and_json_pass_unchanged(stamped) -> None:
    push, pull = stamped
    push.send_string("text")
    push.send_json({"a": 1})
    push.send_pyobj((1, "x"))
    push.send_serialized([1, 2], lambda numbers: [b"%d" % n for n in numbers])
    assert pull.recv_string() == "text"
    assert pull.recv_json() == {"a": 1}
    assert pull.recv_pyobj() == (1, "x")
    assert pull.recv_serialized(lambda frames: [int(f) for f in frames]) == [1, 2]


def test_large_frames_without_copy_are_tracked_and_stamped(stamped) -> None:
    push, pull = stamped
    tracker = push.send(b"x" * 200_000, copy=False, track=True)
    assert len(pull.recv()) == 200_000
    tracker.wait(5)


def test_messages_of_an_unstamped_sender_pass_a_told_receiver(
    context: zmq.Context, journal: Journal, link
) -> None:
    push, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL), name="p", sequence="stamp")
    link(push, pull)
    for frames in ([b"one"], [b"a", b"b"], [b"a", b"b", b"x" * 48], [stamp.MAGIC]):
        push.send_multipart(frames)
        assert pull.recv_multipart() == frames
    push.send_multipart([b"a", b"b"])
    assert (pull.recv(), pull.poll(0), pull.recv()) == (b"a", zmq.POLLIN, b"b")
    assert journal.socket("p")["received"] == 5


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("multipart", [True, False])
def test_a_receiver_that_was_not_told_takes_stamps_off_too(
    context: zmq.Context, journal: Journal, link, count: int, multipart: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(push, pull)
    for number in range(20):
        push.send_multipart([b"%d" % number] * count)
    for number in range(20):
        frames = pull.recv_multipart() if multipart else [pull.recv() for _ in range(count)]
        assert frames == [b"%d" % number] * count
    counters = journal.socket("pull")
    assert (counters["received"], counters["received_more_frames"]) == (20, 20 * (count - 1))
    assert journal.lanes()[-1]["count"] == 20


def test_a_stamping_sender_that_comes_late_to_a_receiver_of_many_single_frames(
    context: zmq.Context, journal: Journal, link
) -> None:
    bare, pull = context.socket(zmq.PUSH), hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(pull, bare)
    for _ in range(200):
        bare.send(b"bare")
        assert pull.recv() == b"bare"
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    push.connect(pull.last_endpoint.decode())
    for number in range(100):
        push.send(b"%d" % number)
        assert pull.recv() == b"%d" % number
    assert journal.socket("pull")["received"] == 300


def test_replies_go_back_through_stamped_req_and_rep(context: zmq.Context, journal: Journal, link) -> None:
    rep, req = context.socket(zmq.REP), context.socket(zmq.REQ)
    for socket in (rep, req):
        hopwatch.wrap(socket, sequence="stamp")
    link(rep, req)
    for number in range(5):
        req.send(b"%d" % number)
        rep.send(rep.recv() + b"!")
        assert req.recv() == b"%d!" % number


def test_router_and_dealer_keep_their_envelopes(context: zmq.Context, journal: Journal, link) -> None:
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    for socket in (router, dealer):
        hopwatch.wrap(socket, sequence="stamp")
    dealer.setsockopt(zmq.IDENTITY, b"me")
    link(router, dealer)
    dealer.send_multipart([b"", b"question"])
    assert router.recv_multipart() == [b"me", b"", b"question"]
    router.send_multipart([b"me", b"", b"answer"])
    assert dealer.recv_multipart() == [b"", b"answer"]


def test_stamps_are_refused_with_a_finding_where_they_would_break_the_socket(
    context: zmq.Context, journal: Journal
) -> None:
    socket = context.socket(zmq.STREAM)
    hopwatch.wrap(socket, name="refusing", sequence="stamp")
    (finding,) = hopwatch.findings(socket)
    assert finding.rule == "stamp_refused"
    assert [event["rule"] for event in journal.of("refusing", "finding")] == ["stamp_refused"]


@pytest.mark.parametrize("conflating", ["sender", "receiver"])
@pytest.mark.parametrize("before", [True, False])
def test_a_stamped_message_is_conflated_as_a_bare_one(
    context: zmq.Context, journal: Journal, link, conflating: str, before: bool
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    one = push if conflating == "sender" else pull
    if before:
        one.conflate = 1
    for socket, name in ((push, "push"), (pull, "pull")):
        hopwatch.wrap(socket, name=name, sequence="stamp")
    one.conflate = 1
    link(pull, push)
    for number in range(100):
        push.send(b"%d" % number)
    came = [pull.recv()]
    while came[-1] != b"99":
        came.append(pull.recv())
    (lane,) = [lane for lane in journal.lanes() if lane["socket"] != lane["stream"]]
    assert (lane["count"], lane["next"]) == (len(came), 100)
    assert hopwatch.findings(push) == hopwatch.findings(pull) == []


@pytest.mark.parametrize("bound_before", [True, False])
def test_a_stamp_is_no_part_of_the_size_that_a_receiver_allows(
    context: zmq.Context, journal: Journal, link, bound_before: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    pull = context.socket(zmq.PULL)
    if bound_before:
        pull.maxmsgsize = 1000
    hopwatch.wrap(pull, name="pull", sequence="stamp")
    pull.maxmsgsize = 1000
    assert pull.maxmsgsize == pull.getsockopt(zmq.MAXMSGSIZE) == 1000
    link(pull, push)
    push.send(b"x" * 1000)
    assert pull.recv() == b"x" * 1000
    hopwatch.unwrap(pull)
    assert pull.maxmsgsize == 1000
    assert {event["value"] for event in journal.of("pull", "option") if event["option"] == "maxmsgsize"} == {
        1000
    }


def test_a_topic_rule_that_raises_costs_the_stamps_and_no_message(
    context: zmq.Context, journal: Journal, link, caplog: pytest.LogCaptureFixture
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp", topic=lambda frames: frames[7])
    sub = hopwatch.wrap(context.socket(zmq.SUB), sequence="stamp")
    sub.subscribe(b"")
    link(pub, sub)
    for body in (b"a", b"b"):
        pub.send(body)
        assert sub.recv() == body
    assert [event["text"] for event in journal.of("pub", "fault")] == ["IndexError: list index out of range"]
    assert journal.header()["faults"] == 1


@pytest.mark.parametrize("sequence", ["stamp", "count"])
@pytest.mark.parametrize("error", [SystemExit, GeneratorExit])
def test_a_topic_rule_that_wants_to_end_the_program_does_not(
    context: zmq.Context, journal: Journal, link, sequence: str, error: type[BaseException]
) -> None:
    asked = []

    def rule(frames: list[bytes]) -> bytes:
        asked.append(frames)
        raise error

    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence=sequence, topic=rule)
    sub = hopwatch.wrap(context.socket(zmq.SUB), sequence=sequence)
    sub.subscribe(b"")
    link(pub, sub)
    for body in (b"a", b"b"):
        pub.send(body)
        assert sub.recv() == body
    assert [event["text"] for event in journal.of("pub", "fault")] == [
        f"UsageError: the topic rule raised {error.__name__}"
    ]
    assert len(asked) == 1


def test_a_sub_wrapped_after_it_subscribed_to_everything_is_checked(
    context: zmq.Context, journal: Journal, link
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), sequence="stamp")
    sub = context.socket(zmq.SUB)
    sub.subscribe(b"")
    link(pub, sub)
    hopwatch.wrap(sub, name="late")
    for number in range(10):
        pub.send(b"%d" % number)
        assert sub.recv() == b"%d" % number
    assert not hopwatch.findings(sub)
    assert [event["topic"] for event in journal.of("late", "subscribe")] == [""]
    assert journal.lanes()[-1]["count"] == 10


def test_what_pyzmq_refuses_to_send_is_the_applications_affair_and_the_next_message_is_numbered(
    context: zmq.Context, journal: Journal, link
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="pub", sequence="stamp", topic=" ")
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    sub.subscribe(b"")
    link(pub, sub)
    with pytest.raises(TypeError):
        pub.send("a text")
    pub.send(b"a 1")
    assert sub.recv() == b"a 1"
    assert journal.events("fault") == []
    assert [lane["count"] for lane in journal.lanes()] == [1, 1]


def test_an_authenticator_answers_libzmq_without_stamps(context: zmq.Context, journal: Journal, link) -> None:
    answers = hopwatch.wrap(context.socket(zmq.REP), name="zap", sequence="stamp")
    answers.bind("inproc://zeromq.zap.01")
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.plain_server = True
    pull.plain_username, pull.plain_password = b"user", b"secret"
    link(push, pull)
    assert answers.poll(5000)
    version, request, *_ = answers.recv_multipart()
    answers.send_multipart([version, request, b"200", b"OK", b"user", b""])
    push.send(b"x")
    assert pull.poll(5000)
    assert [found.rule for found in hopwatch.findings(answers)] == ["stamp_refused"]


def test_frames_tell_of_their_peer_as_without_stamps(context: zmq.Context, journal: Journal, link) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), sequence="stamp")
    link(push, pull)
    for _ in range(2):
        push.send_multipart([b"a", b"b", b"c"])
    frames = pull.recv_multipart(copy=False)
    frames += [pull.recv(copy=False) for _ in range(3)]
    assert [frame.get("Peer-Address") for frame in frames] == ["127.0.0.1"] * 6
    assert [frame.more for frame in frames] == [True, True, False] * 2


def test_a_bare_socket_bound_within_the_process_gets_no_stamps(
    context: zmq.Context, journal: Journal
) -> None:
    bare, wrapped = context.socket(zmq.PULL), hopwatch.wrap(context.socket(zmq.PULL))
    pushes = {}
    for peer, pull in (("bare", bare), ("wrapped", wrapped)):
        pull.bind(f"inproc://{peer}")
        pushes[peer] = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
        pushes[peer].connect(f"inproc://{peer}")
        for _ in range(2):
            pushes[peer].send(b"x")
            assert pull.recv_multipart() == [b"x"]
    assert "stamp_refused" in [found.rule for found in hopwatch.findings(pushes["bare"])]
    assert "stamp_refused" not in [found.rule for found in hopwatch.findings(pushes["wrapped"])]
    assert sum(lane["count"] for lane in journal.lanes()) == 4


def test_an_endpoint_given_as_bytes_is_as_good_as_text(context: zmq.Context, journal: Journal) -> None:
    pull, push = (hopwatch.wrap(context.socket(kind), sequence="stamp") for kind in (zmq.PULL, zmq.PUSH))
    pull.bind(b"inproc://bytes")
    push.connect(pull.LAST_ENDPOINT)
    push.send(b"x")
    assert pull.recv_multipart() == [b"x"]
    assert journal.events("fault") == []
    assert [lane["count"] for lane in journal.lanes()] == [1, 1]
