import { button, drawTogether, make } from "./dom.js"

// The places of the rows in the order of one head: by the numbers behind the texts where there are some, what has none last.
function sorted(shown, at, down) {
  const number = (row) => (shown.numbers[row] || [])[at]
  const order = shown.rows.map((_, row) => row)
  const numeric = order.some((row) => typeof number(row) === "number")
  const compare = (a, b) => {
    if (!numeric) { return shown.rows[a][at].localeCompare(shown.rows[b][at], "en", { numeric: true }) * (down ? -1 : 1) }
    const [one, other] = [number(a), number(b)]
    if (typeof one !== "number" || typeof other !== "number") { return (typeof one !== "number") - (typeof other !== "number") }
    return (one - other) * (down ? -1 : 1)
  }
  return order.toSorted((a, b) => compare(a, b) || a - b)
}

// Whether what stands below a head are numbers, which end at the right.
const isNumeric = (shown, at) => shown.numbers.some((row) => typeof (row || [])[at] === "number")

// Draws the table in the order of the head that was pressed last, and again when another is.
function fill(table, shown, by) {
  const [place, down] = by
  const head = (text, at) => {
    const way = place !== at ? "none" : down ? "descending" : "ascending"
    const press = () => {
      // Numbers begin with the largest, texts with the first.
      fill(table, shown, [at, place === at ? !down : at > 0])
      table.querySelectorAll("th button")[at].focus()
    }
    const mark = make("span", { text: way === "none" ? "" : down ? " ▾" : " ▴", "aria-hidden": "true" })
    return make("th", { scope: "col", "aria-sort": way, cls: isNumeric(shown, at) ? "num" : "" }, [button({ title: `Sort by ${text}` }, press, [text, mark])])
  }
  const order = place < 0 ? shown.rows.map((_, row) => row) : sorted(shown, place, down)
  const cell = (text, at) => make("td", { text, cls: isNumeric(shown, at) ? "num" : "", title: text })
  const body = order.map((row) => make("tr", {}, shown.rows[row].map(cell)))
  table.replaceChildren(make("thead", {}, [make("tr", {}, shown.heads.map(head))]), make("tbody", {}, body))
}

export function render({ model, el }) {
  const root = make("section", { cls: "moved" })
  el.append(root)
  const draw = () => {
    const shown = model.shown
    root.hidden = !shown.rows
    if (!shown.rows) { root.replaceChildren(); return }
    const table = make("table")
    fill(table, shown, [-1, false])
    const scroller = make("div", { cls: "scroller", tabindex: "0", role: "region", "aria-label": shown.title }, [table])
    const said = shown.said ? [make("p", { text: shown.said, cls: "said" })] : []
    root.replaceChildren(make("h3", { text: shown.title }), ...said, scroller, make("p", { text: shown.note, cls: "note" }))
  }
  drawTogether(model, "shown", draw)
  draw()
}
