"""Until the review is there to be worked with, in a real browser: `python -m benchmarks.app.first_paint [--workspace DIR] [--times N]`.

Milliseconds from the start of the navigation until anything is painted, until the queue's rows are, and until the evidence of the first one
with its chart is. The first page is that of a server just started, which has read nothing yet; every page has an empty browser cache.
"""

from __future__ import annotations

from typing import Any

from benchmarks.app.common import COUNT, FIND, arguments, chromium, load, serving, spread, workspace_of
from benchmarks.profiling.common import cpu_seconds

# Looks for what is wanted at every frame; two frames later it is painted. The chart is there when its line has points.
PAINTED = f"""
{COUNT}
{{{FIND}
  const drawn = () => {{
    const doc = window.Bokeh?.documents?.[0]
    const chart = doc && [...doc._all_models.values()].find((m) => m.name === 'history' && m.y_range)
    return Boolean(chart && find(document, '.title + .said') && chart.renderers.some((r) => r.data_source.get('x')?.length > 1))
  }}
  window.painted = {{}}
  const look = async (name, there) => {{
    while (!there()) {{ await new Promise(requestAnimationFrame) }}
    await frame()
    painted[name] = performance.now()
  }}
  document.addEventListener('DOMContentLoaded', () => {{
    look('rows', () => find(document, 'tbody tr[data-id]'))
    look('evidence', drawn)
  }})
}}"""


def measure(browser: Any, url: str) -> dict[str, float]:
    """One load in a browser without cache."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(PAINTED)
    page.goto(url)
    page.wait_for_function("() => window.painted.rows && window.painted.evidence", timeout=120_000)
    found: dict[str, float] = page.evaluate(
        "() => ({...painted, ...received, parsed: performance.timing.domInteractive - performance.timing.navigationStart, "
        "anything: performance.getEntriesByName('first-paint')[0].startTime})"
    )
    context.close()
    return found


def main() -> None:
    """From the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--query", default="?tab=review", help="of the address, as ?tab=overview")
    options = parser.parse_args()
    with serving(workspace_of(options)) as (url, server), chromium() as browser:
        first = measure(browser, url + options.query)
        print(load())
        print(f"first page of the server: rows {first['rows']:.0f} ms, evidence {first['evidence']:.0f} ms")
        before = cpu_seconds(server)
        found = [measure(browser, url + options.query) for _ in range(options.times)]
        seconds = (cpu_seconds(server) - before) / options.times
    for name in ("anything", "parsed", "rows", "evidence"):
        print(f"{name}: {spread([one[name] for one in found])}")
    print(f"{found[0]['messages']:.0f} messages, {found[0]['bytes'] / 1024:.0f} KB")
    print(f"processor time of the server: {1000 * seconds:.0f} ms a page")


if __name__ == "__main__":
    main()
