"""Names as somebody writes them who means ill to whoever looks at them in a terminal or a browser."""

HOSTILE = {
    "clears the screen": "\x1b[2J\x1b[Hgone",
    "sets the title": "\x1b]0;owned\x07x",
    "links elsewhere": "\x1b]8;;http://attacker.example\x1b\\click\x1b]8;;\x1b\\",
    "8-bit control": "\x9b31mred",
    "markup": "[red]loud[/red] [link=http://attacker.example]x[/link] [/nothing]",
    "lines": "one\ntwo\rthree\x0bfour\u2028five\u2029six\x85seven\x1ceight",
    "turned around": "abc\u202etxt.exe\u2066x\u200bz",
    "long": "long-" + "n" * 5000 + "-end",
    "wide": "広告" * 60,
    "combining": "z" + "\u0301" * 200,
}
UNSAFE = frozenset(
    {chr(code) for code in range(0x20)} - {"\n"}
    | {chr(code) for code in range(0x7F, 0xA0)}
    | set("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\u061c")
)
"""What may not reach a terminal (or stand in a line) as it is."""
