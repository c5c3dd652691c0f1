"""The notebook widget: the traits of the explorer, the same on both sides."""

from __future__ import annotations

from typing import Any, TypeAlias

import anywidget
import traitlets

from uapca._validation import probability, scale_from
from uapca.explorer.page import (
    Explorer,
    State,
    pair_from,
    scale_to_wire,
    script,
    selection_from,
    shares_from,
)
from uapca.explorer.payload import component_count

__all__ = ["ExplorerWidget"]

_Trait: TypeAlias = "traitlets.TraitType[Any, Any]"
_INFINITE = {
    "to_json": lambda value, _: scale_to_wire(value),
    "from_json": lambda value, _: float(value),
}


class _Checked(traitlets.Any):
    """A trait whose values all go to the validator; `traitlets.Any` lets None pass it by."""

    allow_none = False


class ExplorerWidget(Explorer, anywidget.AnyWidget):
    """The explorer in a notebook; made by `uapca.explore`.

    Traits
    ------
    scale : float
        s, from 0 to infinity.
    weights : list of float or None
        One for each row; kept so that they sum to 1. None for the data's own.
    selection : list of int
        Selected rows; may be set by name.
    pair : list of int
        The components on the two axes, from 0.
    level : float
        The probability inside an ellipse.
    standardize : bool
        Whether features are divided by their total standard deviations first.
    """

    _esm = script()
    _payload = traitlets.Dict().tag(sync=True)
    scale: _Trait = _Checked(1.0).tag(sync=True, **_INFINITE)
    weights: _Trait = traitlets.Any(None, allow_none=True).tag(sync=True)
    selection: _Trait = _Checked([]).tag(sync=True)
    pair: _Trait = _Checked([0, 1]).tag(sync=True)
    level: _Trait = _Checked(0.95).tag(sync=True)
    standardize: _Trait = traitlets.Bool(False).tag(sync=True)

    def __init__(self, data: dict[str, Any], state: State) -> None:
        self._data = data
        anywidget.AnyWidget.__init__(
            self,
            _payload=data,
            pair=list(state.pair),
            selection=[],
            scale=state.scale,
            standardize=state.standardize,
        )

    def __repr__(self) -> str:
        return f"Explorer of {self._data['n']} rows × {self._data['d']} features"

    @traitlets.validate("scale", "weights", "selection", "pair", "level")
    def _checked(self, proposal: Any) -> Any:
        value = proposal["value"]
        rows = self._data["n"]
        match proposal["trait"].name:
            case "scale":
                return scale_from(value)
            case "weights":
                return shares_from(value, rows, self._data["precomputed"] is not None)
            case "selection":
                return selection_from(value, rows, self._data["names"])
            case "pair":
                return pair_from(value, component_count(self._data))
            case _:
                return probability(value)

    def _state(self) -> State:
        return State(
            self.scale,
            self.weights,
            tuple(self.selection),
            (self.pair[0], self.pair[1]),
            self.level,
            self.standardize,
        )
