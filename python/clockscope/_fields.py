"""Objects of a record whose fields can be read as attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Fields(Mapping[str, Any]):
    """An object of a result: fields as keys and as attributes, named as in its schema.

    ``clock["cost_ns"]["median"]`` and ``clock.cost_ns.median`` are the same. What could not be measured is ``None``;
    :meth:`reason` tells why. A field that is called like a method, as a record's ``series``, is read by its key.
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: dict[str, Any]) -> None:
        self._raw = raw

    @property
    def raw(self) -> dict[str, Any]:
        """The object as JSON has it."""
        return self._raw

    def reason(self, field: str) -> str | None:
        """Why a field is ``None``, as far as the result tells; names of inner fields as in ``"tick_ns.reported"``."""
        missing = self._raw.get("missing")
        reason = missing.get(field) if isinstance(missing, dict) else None
        return reason if isinstance(reason, str) else None

    def __getitem__(self, key: str) -> Any:
        return _wrapped(self._raw[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return _wrapped(self._raw[name])
        except KeyError:
            raise AttributeError(f"there is no field {name!r}; there are {', '.join(self._raw)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._raw]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._raw!r})"


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(value)
    if isinstance(value, list):
        return [_wrapped(inner) for inner in value]
    return value
