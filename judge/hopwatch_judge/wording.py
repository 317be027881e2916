"""Words that all texts share."""


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
