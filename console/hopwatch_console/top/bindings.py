"""Which key does what."""

from textual.binding import Binding, BindingType

OF_THE_TABLE = frozenset(
    {"ask", "filter", "help", "leave", "next_tab", "pause", "reverse", "sort", "tab", "unfilter", "unsort"}
)
"""What keys do while neither words are typed nor details read."""
_KEYS = (
    ("q", "leave"),
    ("question_mark,h,f1", "help"),
    ("slash", "filter"),
    ("escape", "unfilter"),
    ("s", "sort(1)"),
    ("S", "sort(-1)"),
    ("r", "reverse"),
    ("o", "unsort"),
    ("p,space", "pause"),
    ("a", "ask"),
    ("tab,right", "next_tab(1)"),
    ("shift+tab,left", "next_tab(-1)"),
)


def bindings(tabs: int) -> list[BindingType]:
    """Of the application. They are taken before they reach any widget: what is typed in one go is then done in its order."""
    of_tabs = ((str(place + 1), f"tab({place})") for place in range(tabs))
    always = (("ctrl+c", "quit"), ("ctrl+z", "suspend_process"))
    return [Binding(keys, action, show=False, priority=True) for keys, action in (*always, *_KEYS, *of_tabs)]
