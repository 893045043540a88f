"""Dragging a bound and moving the FPR target, in a real browser: `python -m benchmarks.app.dragging [--workspace DIR] [--times N]`.

Prints milliseconds from a movement of the mouse to the painted verdict, and from a key on a slider of the what-if page, of all columns and
of one, to the painted outcome; and the longest time that the page did not answer meanwhile.
"""

from __future__ import annotations

from typing import Any

from benchmarks.app.common import COUNT, FIND, arguments, chromium, load, serving, spread, workspace_of
from benchmarks.profiling.common import cpu_seconds

# Where the band's upper edge (the lower one where the upper is open) stands on the page.
EDGE = f"""() => {{{FIND}
  const figure = [...Bokeh.documents[0]._all_models.values()].find((m) => m.name === 'history' && m.y_range)
  const band = [...figure.below, ...figure.center].find((m) => m.type === 'BoxAnnotation' && m.editable)
  const within = (view) => {{
    if (view.model === figure) {{ return view }}
    for (const child of [...(view.children?.() ?? []), ...(view.child_views ?? []), ...(view._child_views?.values() ?? [])]) {{
      const found = child && within(child)
      if (found) {{ return found }}
    }}
    return null
  }}
  const view = [...Bokeh.index.roots].map(within).find(Boolean)
  const box = view.canvas_view.el.getBoundingClientRect()
  const x = box.x + view.frame.x_scale.compute((figure.x_range.start + figure.x_range.end) / 2)
  const edge = band.top < figure.y_range.end ? band.top : band.bottom
  return [x, box.y + view.frame.y_scale.compute(edge)]
}}"""
# Notes when the mouse moves, and when what follows is painted: the verdict, and the bounds in the form, which change with each move.
WATCH = f"""() => {{{FIND}
  const all = (root, wanted) => [...root.querySelectorAll('*')].flatMap((node) =>
    [...(node.matches(wanted) ? [node] : []), ...(node.shadowRoot ? all(node.shadowRoot, wanted) : [])])
  const inputs = all(document, 'input').filter((input) => input.labels?.[0]?.textContent.includes('bound'))
  const verdict = find(document, '.verdict').getRootNode()
  const read = () => inputs.map((input) => input.value).join('|') + verdict.textContent
  window.moves = []
  window.answers = []
  window.addEventListener('pointermove', () => {{ moves.push(performance.now()) }}, true)
  let seen = read()
  const look = () => {{
    const now = read()
    if (now !== seen) {{ seen = now; answers.push(performance.now()) }}
    requestAnimationFrame(look)
  }}
  look()
}}"""
# A key on the slider, until the outcome is another; and the longest gap between two frames, while which nothing can be painted.
SLIDE = f"""async ([key, quiet, which]) => {{{FIND}
  const all = (root, wanted) => [...root.querySelectorAll('*')].flatMap((node) =>
    [...(node.matches(wanted) ? [node] : []), ...(node.shadowRoot ? all(node.shadowRoot, wanted) : [])])
  const shown = (wanted) => all(document, wanted).filter((node) => node.getClientRects().length)
  const root = shown('.facts .fact dd')[0].getRootNode()
  let last = null, gap = 0, seen = performance.now(), on = true
  const watch = () => {{
    const now = performance.now()
    gap = Math.max(gap, now - seen)
    seen = now
    if (on) {{ requestAnimationFrame(watch) }}
  }}
  watch()
  const observer = new MutationObserver(() => frame().then(() => {{ last = performance.now() }}))
  observer.observe(root, {{subtree: true, childList: true, characterData: true}})
  const slider = shown('input[type=range]').at(which)
  slider.focus()
  const start = performance.now()
  slider.dispatchEvent(new KeyboardEvent('keydown', {{key, bubbles: true}}))
  while (performance.now() - Math.max(start, last ?? 0) < quiet) {{ await frame() }}
  on = false
  observer.disconnect()
  return [last === null ? null : last - start, gap]
}}"""


def dragged(page: Any, times: int) -> list[float]:
    """For each movement of the mouse that was answered, how long that took."""
    page.locator(".title + .said").first.wait_for(timeout=120_000)
    page.evaluate("() => new Promise((done) => setTimeout(done, 1500))")
    x, y = page.evaluate(EDGE)
    page.mouse.move(x, y - 15)
    page.mouse.move(x, y)
    page.mouse.down()
    # A few pixels make it a drag.
    page.mouse.move(x, y + 10)
    page.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    page.evaluate(WATCH)
    taken = []
    for step in range(1, times + 1):
        page.evaluate("() => { moves.length = answers.length = 0 }")
        page.mouse.move(x, y + 10 + 2 * step)
        page.wait_for_function("() => answers.length", timeout=10_000)
        page.evaluate("() => new Promise((done) => setTimeout(done, 150))")
        moved, answered = page.evaluate("() => [moves[0], answers.at(-1)]")
        taken.append(answered - moved)
    page.mouse.up()
    return taken


def slid(page: Any, times: int, which: int) -> tuple[list[float], float]:
    """Milliseconds per step of this of the page's sliders, and the longest gap between two frames."""
    page.locator(".facts .fact").filter(visible=True).first.wait_for(timeout=120_000)
    page.evaluate("() => new Promise((done) => setTimeout(done, 3000))")
    taken, gaps = [], []
    for step in range(times):
        ms, gap = page.evaluate(SLIDE, ["ArrowRight" if step % 6 < 3 else "ArrowLeft", 2500, which])
        if ms is not None:
            taken.append(ms)
        gaps.append(gap)
    return taken, max(gaps)


def main() -> None:
    """From the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=40, help="movements of the mouse; half as many steps of the slider")
    parser.add_argument("--query", default="", help="of the review's address, as ?suggestion=ID")
    parser.add_argument("--column", default="amount_000", help="whose own target is moved (default %(default)s)")
    options = parser.parse_args()
    with serving(workspace_of(options)) as (url, server), chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(COUNT)
        page.goto(url + (options.query or "?tab=review"))
        taken = dragged(page, options.times)
        print(load())
        print(f"dragging a bound: {spread(taken)}")
        before = cpu_seconds(server)
        # The first slider is the target of all columns, the last the own one of the column that is looked at.
        for what, address, which in (("all columns", "", 0), ("one column", f"&column={options.column}", -1)):
            page.goto(f"{url}?tab=what-if{address}")
            taken, gap = slid(page, options.times // 2, which)
            print(f"moving the target of {what}: {spread(taken)}; longest gap between two frames {gap:.0f} ms")
        print(f"processor time of the server for all steps: {cpu_seconds(server) - before:.1f} s")


if __name__ == "__main__":
    main()
