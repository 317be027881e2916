"""Amounts of resources, as Kubernetes writes them: ``250m``, ``1.5``, ``64Mi``."""

from decimal import Decimal
from typing import Any

UNITS = {
    **{
        unit: Decimal(1000) ** power
        for power, unit in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"), -3)
    },
    **{unit: Decimal(1024) ** power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
}


def amount(quantity: Any) -> Decimal | str:
    """As a number; what is none is like nothing but itself."""
    text = str(quantity)
    digits = text.rstrip("".join(UNITS))
    try:
        return Decimal(digits) * UNITS[text[len(digits) :]]
    except (ArithmeticError, KeyError):  # of garbage, which may be larger than any number
        return text


def size(quantity: Any) -> Decimal:
    """As a number; 0 for what is none."""
    found = amount(quantity)
    return found if isinstance(found, Decimal) else Decimal(0)
