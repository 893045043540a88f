"""Bokeh's models told in less time: what they leave at its default is neither worked out nor looked up again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.singletons import Undefined
from bokeh.core.property.wrappers import PropertyValueContainer


def _required(kind: Any) -> frozenset[str]:
    """The properties of a class that have no default: Bokeh refuses to tell a model without them."""
    return frozenset(name for name in kind.properties(_with_props=True) if kind.lookup(name).property._default is Undefined)


def tell_models_lean() -> None:
    """Have Bokeh do so; once per process, for all documents.

    Bokeh (3.9) asks a model for all of its 30 to 100 properties, works out the default of each, and then drops those that nobody set; and
    for each default it walks through the model's classes anew. The message of the review's first view took 75 ms, most of it so. What a
    message holds is the same. These names are Bokeh's own: a release without them is left as it is.
    """
    told, defaults = vars(HasProps).get("query_properties_with_values"), vars(HasProps).get("_overridden_defaults")
    if told is None or not isinstance(defaults, classmethod) or hasattr(told, "__wrapped__"):
        return

    required: Any = cache(_required)

    @wraps(told)
    def lean(self: Any, query: Callable[[Any], bool], *, include_defaults: bool = True, include_undefined: bool = False) -> dict[str, Any]:
        if include_defaults or include_undefined:
            whole: dict[str, Any] = told(self, query, include_defaults=include_defaults, include_undefined=include_undefined)
            return whole
        themed, unstable = self.themed_values() or {}, set(self._unstable_default_values)
        found = {}
        for key in self.properties(_with_props=True):
            told_of = key in self._property_values or key in unstable or key in themed
            if told_of or key in required(type(self)):
                descriptor = self.lookup(key)
                if query(descriptor):
                    value = descriptor.get_value(self)  # which refuses what must be set and is not
                    if told_of and (key in themed or key not in unstable or not isinstance(value, PropertyValueContainer)):
                        found[key] = value
        return found

    kinds: Any = HasProps
    kinds.query_properties_with_values = lean
    kept: Any = cache(defaults.__func__)
    kinds._overridden_defaults = classmethod(kept)
