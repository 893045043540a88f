// The rows of the queue's table: suggestions, and groups of them.
import { button, make, shape, trace } from "./dom.js"

const WIDTH = 112
const HEIGHT = 20
// Of every source in `SOURCES` of `ui/state/rows.py`.
const LETTERS = { history: "H", corpus: "C", snapshot: "R", values: "V", few: "G", relation: "T", manual: "M" }

const span = (cls, text, about) => make("span", { cls, text, ...about })
const named = (cls, parts, about) => make("span", { cls, parts, ...about })
const hidden = (cls, text) => span(cls, text, { "aria-hidden": "true" })
const tick = (label) => make("td", { cls: "tick" }, [make("input", { type: "checkbox", "aria-label": label, tabindex: "-1" })])

function sparkline(spark) {
  if (!spark) { return span("quiet unmeasured", "no history") }
  const up = (value) => (HEIGHT - 2 - (value / 100) * (HEIGHT - 4)).toFixed(1)
  const along = (at) => (2 + (at * (WIDTH - 4)) / Math.max(spark.y.length - 1, 1)).toFixed(1)
  const fires = spark.fires ? `would have alarmed on ${spark.fires} ${spark.fires === 1 ? "batch" : "batches"}` : "would not have alarmed"
  const [low, high] = spark.band
  const crosses = spark.fired.map((at) => {
    const [x, y] = [along(at), up(spark.y[at])]
    return shape("path", { d: `M${x - 2.4} ${y - 2.4}l4.8 4.8m0 -4.8l-4.8 4.8`, class: "fired" })
  })
  const about = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `history; ${fires}` }
  return shape("svg", about, [
    shape("rect", { x: 0, width: WIDTH, y: up(high), height: Math.max(up(low) - up(high), 1), class: "band" }),
    shape("path", { d: trace(spark.y, along, up), class: "line" }),
    ...crosses,
  ])
}

function catches(row) {
  const only = row.only ? `; ${row.only} of them only this one catches` : ""
  // On what people state no fault is tried.
  if (!row.variants) { return make("td", { cls: "caught num", title: "no fault was tried on it" }, [hidden("", "–"), span("heard", "No fault tried")]) }
  const full = make("i")
  full.style.width = `${(100 * row.caught) / row.variants}%`
  const bar = make("span", { cls: "bar", "aria-hidden": "true" }, [full])
  const title = `${row.caught} of ${row.variants} faults ${row.kinds ? "of its kind " : ""}that were tried${only}`
  // Bare numbers say nothing to who hears them: of what they are, and where.
  return make("td", { cls: "caught num", title }, [bar, hidden("", `${row.caught} of ${row.variants}`), span("heard", `Catches ${title}`)])
}

const badge = (row) => {
  const about = { title: row.source_title, "aria-label": row.source_title, role: "img" }
  return row.source ? [span(`origin ${row.source}`, LETTERS[row.source], about)] : []
}

function tags(row) {
  const made = []
  if (row.comments) { made.push(span("tag", `❝${row.comments}`, { title: row.comments_title })) }
  if (row.assignee) { made.push(span("tag person", `@${row.assignee}`, { title: `assigned to ${row.assignee}` })) }
  return made
}

function group(row, glyphs) {
  const about = { "aria-expanded": String(row.opened), "aria-label": `${row.opened ? "Close" : "Open"} ${row.label}`, tabindex: "-1" }
  const counts = row.statuses.map(([name, number]) => make("span", { cls: `status status-${name}`, title: `${number} ${name}` }, [
    hidden("", glyphs[name]), span("num", String(number)), span("hidden", ` ${name}`),
  ]))
  const name = make("div", { cls: "line" }, [
    button({ cls: "toggle", text: row.opened ? "▾" : "▸", ...about }),
    ...badge(row),
    named("label", row.label, { title: row.label }),
    span("quiet note", row.note, { title: row.note }),
    make("span", { cls: "counts" }, counts),
  ])
  const said = `${row.label} ${row.statuses.map(([status, number]) => `${number} ${status}`).join(", ")}`
  return make("tr", { "data-id": row.id, tabindex: "-1", cls: "group", "aria-label": said }, [
    tick(`Select all of ${row.label}`),
    make("td", { cls: "name", colspan: "4" }, [name]),
    make("td", { cls: "fpr num", text: row.fpr, title: row.fpr_title }),
    make("td", { cls: "caught num", text: row.caught, title: row.caught_title }),
    make("td"),
  ])
}

export function line(row, glyphs) {
  if (row.group) { return group(row, glyphs) }
  const status = make("span", { cls: `status status-${row.status}` }, [hidden("", glyphs[row.status]), span("word", ` ${row.status}`)])
  // The rule as people say it; how it is measured is one look further.
  const about = [row.metric, row.description, row.bounds, row.tag_title].filter(Boolean).join(" · ")
  const rule = [named("plain", row.plain)]
  if (row.tag) { rule.push(span("tag", row.tag, { title: row.tag_title })) }
  return make("tr", { "data-id": row.id, tabindex: "-1", "aria-label": `${row.column}: ${row.plain} ${row.status}` }, [
    tick(`Select: ${row.plain}`),
    make("td", { cls: "source" }, badge(row)),
    make("td", { cls: "column", title: row.column_title }, [named("label", row.column), ...tags(row)]),
    make("td", { cls: "rule", title: about, "data-metric": row.metric }, rule),
    make("td", { cls: "history" }, [sparkline(row.spark)]),
    make("td", { cls: "fpr num", text: row.fpr, title: row.fpr_title }),
    catches(row),
    make("td", { cls: "status", title: row.status_title }, [status]),
  ])
}
