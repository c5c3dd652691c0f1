"""``set_output`` for transformers that map arrays to arrays and UncertainArrays to themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from uapca.uncertain import UncertainArray

__all__ = ["keeps_uncertain"]

T = TypeVar("T", bound=type)


def keeps_uncertain(cls: T) -> T:
    """Let UncertainArrays pass by scikit-learn's output containers.

    ``set_output(transform="pandas")`` makes data frames of arrays; an uncertain result has more in
    it than a data frame holds, and the next step of a pipeline wants it whole.
    """
    for name in ("transform", "fit_transform"):
        contained: Callable[..., Any] = getattr(cls, name)
        setattr(cls, name, _either(contained, contained.__wrapped__))  # type: ignore[attr-defined]
    return cls


def _either(contained: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(plain)
    def method(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        certain = not isinstance(X, UncertainArray) and not _errors(kwargs)
        return (contained if certain else plain)(self, X, *args, **kwargs)

    return method


def _errors(kwargs: dict[str, Any]) -> bool:
    return any(kwargs.get(name) is not None for name in ("cov", "std", "factors"))
