"""How long it takes from a key to the redrawn evidence, in a real browser against a running app.

`python -m benchmarks.app.selecting http://localhost:5006 [TIMES]` after `make demo`; Chromium is the system's or Playwright's own.
"""

from __future__ import annotations

import shutil
import statistics
import sys

from playwright.sync_api import sync_playwright

# Presses a key n times and returns for each the milliseconds until the evidence's text is redrawn.
REDRAWS = """async ([key, times]) => {
  const find = (root, wanted) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.matches(wanted)) { return node }
      const inside = node.shadowRoot && find(node.shadowRoot, wanted)
      if (inside) { return inside }
    }
    return null
  }
  const root = find(document, '.title .metric').getRootNode()
  const measured = []
  for (let k = 0; k < times; k++) {
    const start = performance.now()
    measured.push(await new Promise((resolve) => {
      const seen = new MutationObserver(() => {
        seen.disconnect()
        requestAnimationFrame(() => resolve(performance.now() - start))
      })
      seen.observe(root, {subtree: true, childList: true, characterData: true})
      window.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))
    }))
  }
  return measured
}"""


def measure(url: str, times: int) -> list[float]:
    """Milliseconds from each of `times` presses of `j` to the next frame with another text."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        page.get_by_role("heading", level=2).first.wait_for(timeout=120_000)
        measured: list[float] = page.evaluate(REDRAWS, ["j", times])
        browser.close()
    return measured


def main() -> None:
    """From the command line: the address and how many times."""
    measured = sorted(measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40))
    p95 = measured[min(len(measured) - 1, round(0.95 * len(measured)))]
    print(f"{len(measured)} selections: median {statistics.median(measured):.0f} ms, p95 {p95:.0f} ms, largest {measured[-1]:.0f} ms")


if __name__ == "__main__":
    main()
