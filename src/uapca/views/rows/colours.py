"""Which ink and shape a row gets: by its name, or by its group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.views.palette import OKABE_ITO, SHAPES, inks
from uapca.views.scene import Floats, Ink, LegendEntry, Shape
from uapca.views.text import number, shortened

__all__ = ["Colouring", "Palette", "colouring"]

# Colours are text, or red, green and blue between 0 and 1.
Palette = Sequence[Any] | Mapping[str, Any] | None

MANY = 24  # more rows than this are not told apart by colour, except the widest:
WIDE = 2.0  # those with more than this times the median spread
_WIDEST = tuple(OKABE_ITO[i] for i in (1, 2, 3, 4, 6))  # clear of the blue of all others


@dataclass(frozen=True, slots=True, kw_only=True)
class Colouring:
    """Inks and shapes, one for each row, and what the legend says of the groups.

    Attributes
    ----------
    keys : tuple of N str
        The rows' names, or their positions.
    inks : tuple of N Ink
    shapes : tuple of N str
    groups : tuple of str
        The group of each row; empty if rows are coloured by name.
    entries : tuple of LegendEntry
        One for each group; or for each wide row, and the others together.
    wide : tuple of int
        The rows much wider than most, the widest first, where only they have colours.
    """

    keys: tuple[str, ...]
    inks: tuple[Ink, ...]
    shapes: tuple[Shape, ...]
    groups: tuple[str, ...]
    entries: tuple[LegendEntry, ...]
    wide: tuple[int, ...] = ()

    def take(self, rows: Iterable[int]) -> Colouring:
        """The same for some of the rows, in their own order."""
        chosen = [int(i) for i in rows]
        return replace(
            self,
            keys=tuple(self.keys[i] for i in chosen),
            inks=tuple(self.inks[i] for i in chosen),
            shapes=tuple(self.shapes[i] for i in chosen),
            groups=tuple(self.groups[i] for i in chosen) if self.groups else (),
            wide=tuple(chosen.index(i) for i in self.wide),
        )


def colouring(
    names: Sequence[str] | None,
    count: int,
    groups: Any = None,
    palette: Palette = None,
    spreads: Floats | None = None,
) -> Colouring:
    """The inks of `count` rows.

    Parameters
    ----------
    names : sequence of str or None
    count : int
    groups : sequence of `count` labels, optional
        One colour and shape for each distinct label; without, one for each row, as long as there
        are not too many.
    palette : sequence of colours, or mapping from name or group to colour, optional
    spreads : ndarray of shape (count,), optional
        The standard deviations of the rows: of too many rows the few widest have colours.
    """
    keys = tuple(names) if names is not None else tuple(str(i) for i in range(count))
    if groups is None:
        if count > MANY and palette is None:
            alike = _of(keys, ("",) * count, ("",), palette, named=False)
            return alike if spreads is None else _with_wide(alike, spreads)
        return _of(keys, keys, keys, palette, named=False)
    labels = _labels(groups, count)
    return _of(keys, tuple(map(str, labels)), _in_order(labels), palette, named=True)


def _with_wide(alike: Colouring, spreads: Floats) -> Colouring:
    """The widest rows in colours of their own, if some are much wider than most."""
    usual = float(np.median(spreads))
    order = np.argsort(-spreads, kind="stable")[: len(_WIDEST)]
    wide = tuple(int(i) for i in order if spreads[i] > WIDE * usual)
    if not wide:
        return alike
    own = inks(len(wide), _WIDEST)
    thin = replace(alike.inks[0], width=0.7)
    found = [thin] * len(spreads)
    entries = []
    for i, ink in zip(wide, own, strict=True):
        found[i] = ink
        times = f": {number(spreads[i] / usual, 2)} × the median spread" if usual > 0 else ""
        text = f"{shortened(alike.keys[i], 16)}{times}"
        entries.append(LegendEntry(text=text, ink=replace(ink, fill_opacity=0.14), kind="area"))
    rest = f"{len(spreads) - len(wide)} others" + (", most of them certain" if usual == 0 else "")
    entries.append(LegendEntry(text=rest, ink=thin, kind="area"))
    return replace(alike, inks=tuple(found), entries=tuple(entries), wide=wide)


def _labels(groups: Any, count: int) -> list[Any]:
    if isinstance(groups, str):
        received = f"got the single string {groups!r}"
    else:
        labels = list(groups)
        if len(labels) == count:
            return labels
        received = f"got {len(labels)} for {count} rows"
    raise ValueError(
        complaint(
            "groups",
            "have one label for each row",
            received,
            f"Pass {count} labels or leave groups out",
        )
    )


def _in_order(labels: list[Any]) -> tuple[str, ...]:
    """The groups as `from_groups` makes rows of them: same group, same colour in all pictures."""
    kinds = list({str(label): label for label in labels}.values())
    try:
        kinds.sort()
    except TypeError:  # labels of several kinds
        kinds.sort(key=str)
    return tuple(map(str, kinds))


def _of(
    keys: tuple[str, ...],
    labels: tuple[str, ...],
    kinds: tuple[str, ...],
    palette: Palette,
    named: bool,
) -> Colouring:
    table = dict(zip(kinds, _inks(kinds, palette), strict=True))
    shapes = {kind: SHAPES[i % 5] for i, kind in enumerate(kinds)}
    if not named:
        shapes = dict.fromkeys(kinds, SHAPES[0])
    entries = tuple(
        LegendEntry(text=shortened(kind), ink=table[kind], kind="marker", shape=shapes[kind])
        for kind in kinds
        if named
    )
    return Colouring(
        keys=keys,
        inks=tuple(table[label] for label in labels),
        shapes=tuple(shapes[label] for label in labels),
        groups=labels if named else (),
        entries=entries,
    )


def _inks(kinds: tuple[str, ...], palette: Palette) -> tuple[Ink, ...]:
    if isinstance(palette, str) or (palette is not None and not len(palette)):
        raise ValueError(
            complaint(
                "palette",
                "be a sequence of colours, or a mapping from name or group to colour",
                f"got {palette!r}",
                f"Pass at least one, [{OKABE_ITO[0]!r}], or leave palette out",
            )
        )
    if not isinstance(palette, Mapping):
        return inks(len(kinds), None if palette is None else list(map(_text, palette)))
    missing = [kind for kind in kinds if kind not in palette]
    if missing:
        raise ValueError(
            complaint(
                "palette",
                "have a colour for each name or group",
                f"there is none for {missing[0]!r}",
                f"Pass a sequence of colours, or add it, for instance {OKABE_ITO[0]!r}",
            )
        )
    plain = inks(len(kinds), [_text(palette[kind]) for kind in kinds])
    return tuple(replace(ink, dash="solid") for ink in plain)


def _text(color: Any) -> str:
    """A colour as text: as it is, or from red, green and blue between 0 and 1."""
    if isinstance(color, str):
        return color
    parts = np.atleast_1d(color)
    if parts.shape == (3,) and parts.dtype.kind in "fiu" and ((parts >= 0) & (parts <= 1)).all():
        return "#" + "".join(f"{round(255 * part):02X}" for part in parts.tolist())
    raise ValueError(
        complaint(
            "palette",
            "have colours as text, or as red, green and blue between 0 and 1",
            f"got {color!r}",
            f"Pass for instance {OKABE_ITO[0]!r}",
        )
    )
