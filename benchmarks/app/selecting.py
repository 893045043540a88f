"""How long it takes from a key to the redrawn evidence, in a real browser against a running app.

`python -m benchmarks.app.selecting http://localhost:5006 [TIMES]` after `make demo`; Chromium is the system's or Playwright's own.
"""

from __future__ import annotations

import shutil
import statistics
import sys

from playwright.sync_api import sync_playwright

# Presses a key n times. For each: milliseconds until the evidence's text is redrawn, and until the last change of anything on the page (the
# chart's data and ranges reach its models by the document's changes; a frame later they are painted).
REDRAWS = """async ([key, times, quiet]) => {
  const find = (root, wanted) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.matches(wanted)) { return node }
      const inside = node.shadowRoot && find(node.shadowRoot, wanted)
      if (inside) { return inside }
    }
    return null
  }
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const root = find(document, '.title .metric').getRootNode()
  let text = null, chart = null
  new MutationObserver(() => { text ??= performance.now() }).observe(root, {subtree: true, childList: true, characterData: true})
  for (const doc of Bokeh.documents) { doc.on_change(() => { frame().then(() => { chart = performance.now() }) }) }
  const measured = []
  for (let k = 0; k < times; k++) {
    text = null
    chart = null
    const start = performance.now()
    window.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))
    while (performance.now() - Math.max(text ?? start, chart ?? 0) < quiet) { await frame() }
    if (text === null) { break }  // the last line
    measured.push([text - start, Math.max(text, chart ?? 0) - start])
  }
  return measured
}"""
# Milliseconds without a change after which a redraw is taken to be over: longer than any pause seen within one.
QUIET = 400


def measure(url: str, times: int) -> list[tuple[float, float]]:
    """Milliseconds from each of `times` presses of `j` to the first new text and to the last change painted."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        page.locator(".title .metric").first.wait_for(timeout=120_000)
        measured: list[tuple[float, float]] = page.evaluate(REDRAWS, ["j", times, QUIET])
        browser.close()
    return measured


def main() -> None:
    """From the command line: the address and how many times."""
    measured = measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40)
    for name, part in (("first text", 0), ("whole redraw", 1)):
        values = sorted(pair[part] for pair in measured)
        p95 = values[min(len(values) - 1, round(0.95 * len(values)))]
        print(f"{name}: {len(values)} selections, median {statistics.median(values):.0f} ms, p95 {p95:.0f} ms, largest {values[-1]:.0f} ms")


if __name__ == "__main__":
    main()
