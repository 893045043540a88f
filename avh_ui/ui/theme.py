"""Design tokens and the Material theme. Colours are Okabe-Ito's, which people with any colour vision can tell apart; a status always has
a glyph and a word beside its colour.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

BLUE, SKY, GREEN, ORANGE, VERMILION, PURPLE = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7"
# The line of a chart: a blue between the two above, at least 3:1 on white and on the dark paper.
LINE = "#2E86C8"
# A grey with the same property, for what stands back: reference lines, the training window.
QUIET = "#7F8B99"
# An anomaly strategy beside the bounds: between Okabe-Ito's orange and vermilion, 3:1 on both papers as well.
STRATEGY = "#BF7300"

# Status -> glyph; their colours are in tokens.css, where light and dark meet.
GLYPHS = {"pending": "○", "accepted": "✔", "edited": "✎", "rejected": "✖"}
# What became of a run or of one of its results.
OUTCOMES = {"pass": "✔", "warn": "!", "fail": "✖", "not_evaluated": "–"}

# Design tokens as custom properties, which every component has; and with small building blocks, for what is written as HTML. A page holds
# them once per component: it is a third smaller for not giving the blocks to those that use none.
TOKENS = (Path(__file__).parent / "tokens.css").read_text(encoding="utf-8")
CSS = TOKENS + (Path(__file__).parent / "theme.css").read_text(encoding="utf-8")

_TYPOGRAPHY = {"fontSize": 13, "button": {"textTransform": "none", "fontWeight": 550}, "h6": {"fontSize": "0.95rem", "fontWeight": 600}}
_COMPONENTS: dict[str, Any] = {
    "MuiButton": {
        "defaultProps": {"size": "small", "disableElevation": True},
        # A button that is withheld says why: without pointer events it would have no tooltip.
        "styleOverrides": {"root": {"&.Mui-disabled": {"pointerEvents": "auto", "cursor": "default"}}},
    },
    # A tooltip describes a button, whose name stays its label.
    "MuiTooltip": {
        "defaultProps": {"describeChild": True},
        "styleOverrides": {"tooltip": {"fontSize": 12, "width": "max-content", "maxWidth": 260}},
    },
    "MuiTextField": {"defaultProps": {"size": "small"}},
    "MuiSelect": {"defaultProps": {"size": "small"}},
    "MuiFormControl": {"defaultProps": {"size": "small"}},
    "MuiAppBar": {"defaultProps": {"elevation": 0}},
    "MuiToolbar": {"defaultProps": {"variant": "dense"}},
    "MuiPaper": {"styleOverrides": {"root": {"backgroundImage": "none"}}},
}
_LIGHT = {
    "primary": {"main": BLUE},
    "secondary": {"main": "#1F4E79"},
    "success": {"main": "#00704F"},
    "warning": {"main": "#8F5A00"},
    "error": {"main": "#B34700"},
    "text": {"primary": "#17212B", "secondary": "#52606D"},
    "divider": "#D9E0E7",
    "background": {"default": "#F4F6F9", "paper": "#FFFFFF"},
}
_DARK = {
    "primary": {"main": SKY},
    "secondary": {"main": "#7FB2E5"},
    "success": {"main": "#35C79A"},
    "warning": {"main": ORANGE},
    "error": {"main": "#F2935C"},
    "text": {"primary": "#E4EAF0", "secondary": "#A3B0BD"},
    "divider": "#303B47",
    "background": {"default": "#10151B", "paper": "#181F27"},
}


def theme_config() -> dict[str, Any]:
    """The light and the dark Material theme."""
    return {"light": _theme(_LIGHT), "dark": _theme(_DARK)}


def _theme(palette: dict[str, Any]) -> dict[str, Any]:
    bar = {
        "backgroundColor": f"{palette['background']['paper']} !important",
        "color": f"{palette['text']['primary']} !important",
        "borderBottom": f"1px solid {palette['divider']}",
    }
    components = {**_COMPONENTS, "MuiAppBar": {**_COMPONENTS["MuiAppBar"], "styleOverrides": {"root": bar}}}
    return {"palette": palette, "typography": _TYPOGRAPHY, "shape": {"borderRadius": 7}, "components": components}
