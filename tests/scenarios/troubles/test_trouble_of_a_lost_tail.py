"""PUSH and PULL lose the last messages when the sender ends."""

import pytest
from trouble_books import Report, causes, loses, words_on
from trouble_stories import SOCKETS, Plays, Shown, Story, Told
from troubles import Trouble, eventually, missing

pytestmark = pytest.mark.scenario


def over_ipc(trouble: Trouble) -> None:
    for start in (trouble.run, trouble.start_bare):
        start("app", "lost_tail.py", f"ipc://{trouble.system.folder}/{start.__name__}")


STARTS = (over_ipc,)


def test_push_and_pull_lose_the_tail_at_a_mark_of_1_though_the_sender_ended_in_good_order(
    plays: Plays, told: Told, shown: Shown
) -> None:
    trouble = plays["over_ipc"]
    app, bare = trouble.programs["app"], trouble.programs["bare app"]
    for program in (app, bare):
        eventually(lambda program=program: "Sender exits" in program.printed, "the sender has not ended")
        program.await_rest()
        assert 0 < len(program.received()) < 10
        assert not program.is_over
    lost = len(missing(app.sent(), app.received()))
    messages = "1 message" if lost == 1 else f"{lost} messages"
    assert ("PULL", "low_mark_over_ipc") in trouble.rules()
    eventually(
        lambda: [one["ended"]["how"] for one in trouble.ask("/v1/connections") if one["ended"]] == ["closed"],
        "who went is not told",
    )
    pull = trouble.socket("app", "PULL")
    assert pull is not None
    assert pull["backlog_received"] is not None
    assert (pull["backlog_received"]["at_least"], pull["backlog_received"]["at_most"]) == (0, lost)
    shown(
        trouble,
        Story(
            (
                "RCVHWM of this PULL is 1",
                "the rest is lost, though the sender waited for it to be delivered",
                "app was closed at",
            ),
            page=(f"{messages} of senders that have ended may be lost",),
            terminal=(
                "app (PULL) - app (PUSH) disconnected",
                f"{messages} of senders that have ended",
                "to be read: it has not got them",
            ),
            of=("app", "PULL"),
            top=(SOCKETS, rf"pressed +app +PULL .*{messages} of senders that have ended"),
        ),
    )
    app.end()

    def it_was_closed_with_them_unread(report: Report) -> None:
        loses(report, lost)
        assert causes(report) == {"closed": lost}
        (incident,) = report["incidents"]
        assert (incident["hop"], incident["certainty"]) == ("app (PUSH) → app (PULL)", "exact")
        words = words_on(report, "closed")
        assert "RCVHWM of app (PULL) (1) should be at least as large as what can be unread" in words
        assert "Or use tcp, which keeps what is unread." in words
        assert "low_mark_over_ipc" in {one["rule"] for one in report["findings"]}

    told(trouble, it_was_closed_with_them_unread)
