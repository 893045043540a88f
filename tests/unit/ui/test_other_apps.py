"""What is changed of Bokeh and Panel is the whole process's: other apps that it serves are as they were."""

from __future__ import annotations

import http.client
from typing import Any

import panel as pn
import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import UnsetValueError
from bokeh.model import Model

from avh_ui.ui.app import session_factory
from avh_ui.ui.components.lean_models import tell_models_lean
from tests.browser.conftest import settle, wait_for
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.ports import free_port


def asked(port: int, path: str, cookie: str) -> tuple[int, str | None, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    found = answer.status, answer.getheader("X-Accel-Buffering"), answer.read().decode()
    connection.close()
    return found


def test_pages_of_another_app_are_made_as_ever() -> None:
    apps = {"avh": session_factory(demo_workspace(hostile=False).services), "other": lambda: pn.pane.Markdown("nothing of ours")}
    port = free_port()
    server = pn.serve(apps, port=port, address="127.0.0.1", threaded=True, show=False)
    try:
        wait_for(f"http://127.0.0.1:{port}/")
        for cookie in ("", "avh_system=light"):  # of a browser that has drawn no page of ours yet, and of one that has
            ours, other = (asked(port, path, cookie) for path in ("/avh", "/other"))
            assert (ours[0], ours[1], other[0], other[1]) == (200, "no", 200, None)
            assert ('id="skeleton"' in ours[2], 'id="skeleton"' in other[2]) == (True, False)
            assert all(text.rstrip().endswith("</html>") and '"token":' in text for _, _, text in (ours, other))
    finally:
        settle(server.asyncio_loop)
        pn.state.reset()


def told_by(model: Model, monkeypatch: pytest.MonkeyPatch, ask: Any) -> str:
    with monkeypatch.context() as patch:
        patch.setattr(HasProps, "query_properties_with_values", ask)
        try:
            return repr(list(model.properties_with_values(include_defaults=False).items()))
        except UnsetValueError as error:
            return str(error)


def test_every_model_of_bokeh_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_models_lean()
    lean = vars(HasProps)["query_properties_with_values"]
    made = []
    for name, kind in sorted(Model.model_class_reverse_map.items()):
        if kind.__module__.startswith("bokeh."):
            try:
                made.append(kind(name=name, tags=["t"]))
            except Exception:  # noqa: BLE001 (what cannot be made without arguments, such as what is abstract)
                continue
    assert len(made) > 200
    told = [(model, *(told_by(model, monkeypatch, ask) for ask in (lean, lean.__wrapped__))) for model in made]
    assert [(one, other) for _, one, other in told if one != other] == []
