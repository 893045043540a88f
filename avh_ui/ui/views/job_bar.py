"""A job's button, and while it runs how far it is and what stops it."""

from __future__ import annotations

import panel_material_ui as pmui

from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, button, html, row, withhold
from avh_ui.ui.state.jobs import JobState
from avh_ui.ui.state.reading import count


class JobBar(PaneView):
    """Draws a job, begun by a button with this label; `styles` are those of the row."""

    def __init__(self, job: JobState, label: str, **styles: str) -> None:
        super().__init__()
        self.job = job
        self.start = button(label, job.start, variant="contained")
        self.cancel = button("Cancel", job.cancel, color="error")
        self.bar = pmui.LinearProgress(value=0, width=170, margin=0, variant="determinate")
        self.note = html(sizing_mode=None)
        self.body = row(self.note, self.bar, self.cancel, self.start, gap=12, **styles)
        job.param.watch(lambda *_: self._show(), ["busy", "done", "total", "note", "cancelling"])
        self._show()

    def _show(self) -> None:
        job = self.job
        self.start.visible = not job.busy
        withhold(self.start, job.refusal)
        withhold(self.cancel, job.refusal, disabled=job.cancelling)
        self.cancel.param.update(visible=job.busy, label="Cancelling …" if job.cancelling else "Cancel")
        # One step of one tells nothing.
        known = job.total > 1
        share = round(100 * job.done / job.total) if known else 0
        self.bar.param.update(visible=job.busy, value=share, variant="determinate" if known else "indeterminate")
        text = f"{job.done:,} of {count(job.total, job.step)} · {job.note}" if known else job.note
        self.note.param.update(visible=job.busy, object=tag("span", text, cls="quiet num", role="status"))
