"""Words that page and agent share are the same."""

from agent_process import AgentProcess
from hopwatch_agent.live.series import program_of
from live_page import LivePage

COMMANDS = [
    "python app.py --port 5556",
    "python app.py -c conf.yml",
    "python app.py -m batch",
    "python -W ignore app.py",
    "python -X dev -u /srv/app/main.py x",
    "/usr/bin/python3.11 -m package.module --token secret",
    "python -m",
    "python -c print(1) app.py",
    "python3.13t ./app.py",
    "python3",
    "/usr/local/bin/uvicorn app:app",
    "python3 /usr/local/bin/celery worker -m x",
    "/srv/app/ x",
    "",
]


def test_a_program_is_called_as_in_metrics(silent_agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(silent_agent)
    called = "async commands => { const { program } = await import('/page/js/format.js'); return commands.map(program); }"
    assert live.page.evaluate(called, COMMANDS) == [program_of(command) for command in COMMANDS]


WAITING = {
    (None, None): "",
    (0, None): "0",
    (500, 0): "500",
    (0, 500): "500",
    (0, 0): "0",
    (None, 20): "20",
    (500, 20): "500 sent, 20 to it",
}
"""By what waits to be sent and to be read: what is shown."""


def test_what_waits_of_both_ways_is_told_of_both(silent_agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(silent_agent)
    told = "async each => { const { backlogs } = await import('/page/js/format.js'); return each.map(ways => backlogs(...ways)); }"
    each = [
        [None if n is None else {"at_least": n, "at_most": n} for n in both_ways] for both_ways in WAITING
    ]
    assert live.page.evaluate(told, each) == list(WAITING.values())
