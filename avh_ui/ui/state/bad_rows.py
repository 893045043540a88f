"""The bad rows that a run kept, for the page that shows what broke a rule."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import AvhError
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.validator.bad_row_samples import BadRowSamples


class BadRowsState(Observable):
    """`shown` is what the table shows (`components.moved_table`), empty while it is read and where there is nothing; `problem` says why
    rows that were kept cannot be shown.

    Read away from the event loop, of one verdict at a time.
    """

    shown = param.Dict(default={})
    problem = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._wanted: Verdict | None = None

    def look(self, verdict: Verdict | None) -> None:
        """At the rows that break the rule of this verdict; the page looks again at whatever it draws."""
        if verdict is self._wanted:
            return
        self._wanted = verdict
        self.param.update(shown={}, problem="")
        if verdict is None or not verdict.kept:
            return
        session, key = self.session, () if self.session.live is None else self.session.live.key

        def adopt(found: BadRowSamples | None) -> None:
            if self._wanted is verdict and found is not None:
                self.shown = drawn(found, verdict)

        def refuse(error: AvhError) -> None:
            if self._wanted is verdict:
                self.problem = error.message

        session.attempt(lambda: session.services.batches.bad_rows(session.pipeline, verdict, key), adopt, refuse)


def drawn(found: BadRowSamples, verdict: Verdict) -> dict[str, Any]:
    """What the table shows of bad rows; nothing of none."""
    if not found.rows:
        return {}
    among = verdict.failing or len(found.rows)
    notes = (
        "" if found.all else f"The first {len(found.rows):,} of them; the folder has all.",
        f"{count(found.left_out, 'more column')} in the folder." if found.left_out else "",
    )
    return {
        "title": f"{count(among, 'row')} that {'breaks' if among == 1 else 'break'} this rule",
        "said": "",
        "note": " ".join(note for note in notes if note),
        "heads": list(found.columns),
        "rows": [list(row) for row in found.rows],
        "numbers": [],
    }
