"""The review application: one page per browser session, served by Panel."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import panel as pn
from bokeh.document import Document, without_document_lock
from bokeh.settings import settings

from avh_ui.commands_named import place_of
from avh_ui.errors import NotPermittedError, PortInUseError
from avh_ui.ui.access.access import Access
from avh_ui.ui.access.serving import options
from avh_ui.ui.components.component import together
from avh_ui.ui.components.early_events import await_the_page
from avh_ui.ui.components.frame import TITLE, frame, head
from avh_ui.ui.components.head_first import failure, send_head_first
from avh_ui.ui.components.kept_files import keep_files
from avh_ui.ui.components.kept_paths import keep_paths
from avh_ui.ui.components.late_messages import send_late_messages
from avh_ui.ui.components.lean_models import tell_models_lean
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import html
from avh_ui.ui.components.step_strip import dismissed, tried
from avh_ui.ui.components.theme_keeper import ThemeKeeper, chosen_dark
from avh_ui.ui.state.address import REVIEW, Address
from avh_ui.ui.state.following import EVERY, Following
from avh_ui.ui.state.read_ahead import ReadAhead
from avh_ui.ui.state.session import Soon, at_once, immediately, load
from avh_ui.ui.views.pages import PAGES
from avh_ui.ui.views.shell import Shell, brand
from avh_ui.workflows.services import Services

# Pipelines read before anybody asks for them: a daily year of 200 columns takes seconds and some 20 MB.
READ_FIRST = 8
_NAMES = [page.name for page in PAGES]
_LOG = logging.getLogger(__name__)


def build(services: Services, ahead: ReadAhead | None = None, access: Access | None = None) -> Any:
    """The page of one session, showing what the request's address names; in a server, it is loaded in a thread.

    `ahead` knows the pipelines that this process has read and keeps in memory: a page of theirs is built with its contents, so that the
    browser draws it once.
    """
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        document.on_session_destroyed(_release)
    try:
        return _page(_shell(services, ahead or ReadAhead(services), access or Access()))
    except Exception as error:  # noqa: BLE001  Panel would show the page's visitor where in the code it was
        _LOG.exception("a page could not be made")
        said = tag("p", failure(error, place_of(services.root)), cls="problem wrap", role="alert")
        sentence = html(said, margin=(14, 28))  # as in the frame, see `skeleton.css`
        return frame([brand()], [sentence], dark=chosen_dark(pn.state.cookies), pages=_NAMES)


def serve(
    services: Services,
    *,
    port: int,
    show: bool = False,
    address: str = "localhost",
    access: Access | None = None,
    listening: Callable[[], None] = lambda: None,
) -> None:
    """Serve the app until interrupted; `PortInUseError` when the port is taken. `listening` is called once browsers can reach it.

    Only this machine can reach it unless `address` says otherwise (`0.0.0.0`; `access` then names the hosts that browsers use). What is
    done is recorded under the name by which `access` knows a person.
    """
    check_port(port, address)
    allowed = access or Access()
    ahead = ReadAhead(services)
    threading.Thread(target=read_first, args=(ahead,), daemon=True).start()
    sessions = session_factory(services, ahead, allowed)
    warm_up(services)
    _stands()
    server = pn.serve(
        sessions,
        port=port,
        address=None if address == "0.0.0.0" else address,
        title=TITLE,
        show=show,
        start=False,
        threaded=False,
        verbose=False,
        **options(allowed, port),
    )
    listening()
    server.start()
    server.io_loop.start()


def session_factory(services: Services, ahead: ReadAhead | None = None, access: Access | None = None) -> Callable[[], Any]:
    """The function that a server calls per session; see `build`. Extensions are the process's, so they are loaded here, once."""
    pn.extension(notifications=True, exception_handler=_tell_failure)
    send_late_messages()
    await_the_page()
    keep_paths()
    tell_models_lean()
    keep_files()
    # Bokeh's checks of a document and of the signature of each callback tell developers of mistakes, and take 20 ms of each page apiece.
    settings.perform_document_validation.set_value(False)
    settings.perform_error_diagnostics.set_value(False)
    known = ahead or ReadAhead(services)

    def pages() -> Any:
        return build(services, known, access)

    def early(resources: Any, dark: bool) -> str:
        return head(resources, dark=dark, pages=_NAMES)

    send_head_first(pages, early, lambda query: known.begin(Address.parse(query)), place_of(services.root))
    return pages


def warm_up(services: Services) -> None:
    """Build a page for nobody: what is read, compiled and looked up once per process is then there for the first visitor, too."""
    shell = Shell(services)
    for tab in (REVIEW, "coverage"):
        shell.show(tab)
    _page(shell).server_doc(Document()).to_json()


def read_first(ahead: ReadAhead) -> None:
    """Read the first pipelines into the stores' memory while nobody has come yet; what cannot be read is told to who opens it."""
    for name in ahead.services.pipelines()[:READ_FIRST]:
        load(ahead.services, name)
        ahead.read.add(name)
    _stands()


def _stands() -> None:
    """What stands by now lasts as long as the process: the collector of garbage need not look through it again and again.

    Of the large workspace that took 250 ms, at every third page.
    """
    gc.collect()
    gc.freeze()


def check_port(port: int, address: str) -> None:
    """`PortInUseError` when nothing can listen there."""
    with socket.socket() as probe:
        # As the server does: a port in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            hint = "Stop what listens there, or choose another with --port."
            raise PortInUseError(f"Port {port} of {address} cannot be used: {error.strerror}.", hint=hint) from error


def _shell(services: Services, ahead: ReadAhead, access: Access) -> Shell:
    document = pn.state.curdoc
    served = document is not None and document.session_context is not None
    runner, soon = (_in_thread, _next_tick(document)) if served else (immediately, at_once)
    person = access.person(document.session_context.request) if document is not None and served else ""
    if served and access.named and not person:
        # Never as the account that the server runs under.
        raise NotPermittedError("Nobody is logged in.", hint="Open the page again to log in.")
    shell = Shell(services, run=runner, soon=soon, actor=person, leave=access.leave)
    shell.steps.param.update(dismissed=dismissed(pn.state.cookies), tried=tried(pn.state.cookies))
    session, address = shell.session, Address.parse(_search())
    session.param.watch(lambda *_: ahead.read.add(session.pipeline), "loads")
    shown = ahead.shown(address)
    if shown:
        session.reads = ahead.runner(shown)
    shell.start(address)
    session.reads = runner
    if served:
        _follow(document, Following(session))
    return shell


def _follow(document: Document, following: Following) -> None:
    """Look what others did, while a browser is there and has drawn the page."""
    context = document.session_context

    def look() -> None:
        if context.session.connection_count and pn.state.loaded:
            following.look()

    document.add_periodic_callback(look, EVERY)


def _page(shell: Shell) -> Any:
    keeper = ThemeKeeper(_when_it_stands(lambda dark: page.param.update(dark_theme=dark)), dark=chosen_dark(pn.state.cookies))
    page = frame(shell.header, [shell], dark=keeper.dark, pages=_NAMES)
    shell.body.append(keeper)
    page.param.watch(lambda event: setattr(keeper, "dark", event.new), "dark_theme")
    return page


def _when_it_stands(change: Callable[[bool], object]) -> Callable[[bool], None]:
    """What a component asks for while the page is being built reaches no browser: it is done once the page stands."""
    return lambda dark: pn.state.onload(lambda: change(dark))


def _release(context: Any) -> None:
    """Have Panel forget what it shows of a session that has ended, and with it everything that the session was made of.

    Panel (1.9) finds the area of notifications by a table that the end of the document has emptied before it looks. So the area would
    stay among its views for as long as the process lives; it holds the document, the document the page, and the page the shell.
    """
    views = pn.state._views
    for reference, (view, root, document, _) in list(views.items()):
        if document is context._document:
            view._cleanup(root)
            views.pop(reference, None)


def _search() -> str:
    """The request's query string. Panel's parsed one would turn `2024` into a number."""
    arguments = pn.state.session_args or {}
    return "&".join(f"{name}={quote(values[-1])}" for name, values in arguments.items())


def _in_thread(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """Work in a thread; its result is handed over in the session's next tick, since models may not be written after an await."""
    document = pn.state.curdoc
    soon = _next_tick(document)

    @without_document_lock
    async def go() -> None:
        try:
            result = await asyncio.to_thread(work)
        except Exception as error:  # noqa: BLE001  a page that waits for ever says less than any message
            failure = error
            soon(lambda: _tell_failure(failure))
        else:
            soon(lambda: done(result))

    document.add_next_tick_callback(go)


def _next_tick(document: Any) -> Soon:
    """Changes from any thread, in the session's next tick; none any more once it is closed.

    And not before the page stands: what changes while a slow browser still builds its views can leave the page empty.
    """

    def soon(change: Callable[[], None]) -> None:
        if document.session_context is not None:
            document.add_next_tick_callback(lambda: pn.state.onload(lambda: _together(change)))

    return soon


def _together(change: Callable[[], None]) -> None:
    with together():
        change()


def _tell_failure(error: Exception) -> None:
    """What nobody expected: logged in full, told in brief."""
    _LOG.error("the app failed", exc_info=error)
    if pn.state.notifications is not None:
        pn.state.notifications.error(f"Something went wrong: {type(error).__name__}: {error}", duration=10_000)
