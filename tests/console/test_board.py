"""What is shown of an agent, frame by frame: nothing that is of before is shown as of now."""

from datetime import datetime, timedelta, timezone

import msgspec
from hopwatch_console.addresses import address_in
from hopwatch_console.errors import AgentError
from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.picture import Phase
from hopwatch_console.frames import Frame, MovingSocket, Status
from hopwatch_console.records import Rates, Socket

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
HERE = Status("0.1.0", "/run/hopwatch", 1, 1, ready=True)
LOSING = Socket("aa", "desk", "SUB", state="losing", state_text="3 messages lost", rates=Rates(lost=3.0))
LOSES = MovingSocket("aa", "desk", "SUB", lost=3, rates=Rates(lost=3.0), state="losing", state_text="")
BROKEN_OFF = AgentError("gone", "it has broken off", "ask again")


def frame(*sockets: MovingSocket, status: Status = HERE, left_out: int = 0) -> Frame:
    return Frame(status=status, sockets=sockets, sockets_left_out=left_out)


def board_with(*sockets: Socket) -> Board:
    board = Board(address_in("host"), NOW)
    board.put_sockets(sockets)
    return board


def desk(board: Board) -> Socket:
    (socket,) = board.picture().sockets
    return socket


def test_a_list_that_was_made_before_a_socket_came_to_rest_does_not_keep_it_losing() -> None:
    board = board_with(LOSING)
    board.take(frame(LOSES))
    board.take(frame())
    assert desk(board).state == "quiet"
    board.put_sockets((LOSING,))
    board.take(frame())
    assert (desk(board).state, desk(board).rates) == ("quiet", Rates())


def test_a_try_that_comes_to_nothing_leaves_the_present_unknown() -> None:
    board = board_with(LOSING)
    board.is_away(NOW, BROKEN_OFF, NOW)
    text = desk(board).state_text
    board.is_away(NOW + timedelta(seconds=1), BROKEN_OFF, NOW)
    assert desk(board).state_text == text
    board.put_sockets((LOSING,))  # the lists answer, and what pushes does not
    board.is_away(NOW + timedelta(seconds=2), BROKEN_OFF, NOW)
    assert board.contact.phase is Phase.AWAY
    assert (desk(board).state, desk(board).rates) == ("unknown", Rates())


def test_of_an_agent_that_cannot_look_the_last_it_saw_stands() -> None:
    board = board_with(LOSING)
    board.take(frame(LOSES))
    for status in (
        msgspec.structs.replace(HERE, ready=False),
        msgspec.structs.replace(HERE, lag_seconds=60.0),
    ):
        board.take(frame(status=status))
        assert desk(board).state == "losing"
        assert board.picture().history == {}


def test_of_those_that_are_left_out_no_moment_is_remembered_as_rest() -> None:
    board = board_with(LOSING)
    moving = msgspec.structs.replace(LOSES, rates=Rates(received=5.0))
    board.take(frame(moving))
    before = board.picture().history
    board.take(frame(left_out=1))
    assert before["aa"] == (5.0,)
    assert "aa" not in board.picture().history
