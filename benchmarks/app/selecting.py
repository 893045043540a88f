"""From a key to the redrawn evidence, in a real browser: `python -m benchmarks.app.selecting [--workspace DIR] [--times N] [--query TEXT]`.

Prints milliseconds until the first new text and until the last change of anything on the page is painted, and what the server sent.
"""

from __future__ import annotations

from typing import Any

from benchmarks.app.common import COUNT, FIND, arguments, chromium, load, serving, spread, workspace_of
from benchmarks.profiling.common import cpu_seconds

# The chart's data and ranges reach its models by the document's changes; two frames later they are painted.
REDRAWS = f"""async ([times, quiet]) => {{{FIND}
  const root = find(document, '.title + .said').getRootNode()
  let text = null, last = null
  new MutationObserver(() => {{ text ??= performance.now() }}).observe(root, {{subtree: true, childList: true, characterData: true}})
  for (const doc of Bokeh.documents) {{ doc.on_change(() => {{ frame().then(() => {{ last = performance.now() }}) }}) }}
  const measured = []
  let [key, turned] = ['j', false]
  while (measured.length < times) {{
    text = last = null
    const before = {{...received}}
    const start = performance.now()
    window.dispatchEvent(new KeyboardEvent('keydown', {{key, bubbles: true}}))
    // A slow answer is no end of the list: that would leave out the largest.
    while (performance.now() - (text === null ? start + 4 * quiet : Math.max(text, last ?? 0)) < quiet) {{ await frame() }}
    if (text === null) {{  // the last line, or the first: the other way, unless there is but one
      if (turned) {{ break }}
      [key, turned] = [key === 'j' ? 'k' : 'j', true]
      continue
    }}
    turned = false
    const whole = Math.max(text, last ?? 0) - start
    const ladder = find(document, 'ol[aria-label="Alternative patterns"]')
    const pattern = Boolean(ladder && ladder.getClientRects().length)
    const sent = {{messages: received.messages - before.messages, bytes: received.bytes - before.bytes}}
    measured.push({{text: text - start, whole, pattern, ...sent}})
  }}
  return measured
}}"""
# Milliseconds without a change after which a redraw is taken to be over: longer than any pause seen within one.
QUIET = 400


def measure(url: str, times: int, query: str) -> list[dict[str, Any]]:
    """Each of `times` moves of the cursor, down by `j` and at the end up by `k`; `query` names a suggestion or pipeline to begin with."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(COUNT)
        page.goto(f"{url}{query or '?tab=review'}")
        page.locator(".title + .said").first.wait_for(timeout=120_000)
        page.evaluate("() => new Promise((done) => setTimeout(done, 1500))")
        measured: list[dict[str, Any]] = page.evaluate(REDRAWS, [times, QUIET])
    return measured


def main() -> None:
    """From the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--query", default="", help="of the address to begin with, as ?suggestion=ID")
    options = parser.parse_args()
    with serving(workspace_of(options)) as (url, server):
        measured = measure(url, options.times, options.query)
        seconds = cpu_seconds(server)
    print(load())
    for name, part in (("first text", "text"), ("whole redraw", "whole")):
        print(f"{name}: {spread([m[part] for m in measured])}")
    for name, wanted in (("with a ladder", True), ("without", False)):
        chosen = [m["whole"] for m in measured if m["pattern"] == wanted]
        if chosen:
            print(f"whole redraw {name}: {spread(chosen)}")
    print(f"messages: {spread([m['messages'] for m in measured], '')}; {spread([m['bytes'] / 1024 for m in measured], 'KB')}")
    print(f"processor time of the server, with its start and the first page: {seconds:.1f} s")


if __name__ == "__main__":
    main()
