import { button, make, reveal } from "./dom.js"

const KINDS = { n: "noticed", p: "partly", m: "missed" }

const key = (code, text) => make("span", { cls: "key" }, [make("i", { cls: KINDS[code] }), make("span", { text })])

// One column and class: a mark for each severity.
function cell(model, row, at) {
  const [codes, words] = model.rows[row].cells[at]
  const label = `${model.rows[row].label}, ${model.classes[at]}: ${words}`
  if (!codes.trim()) { return make("td", { cls: "blank", title: words, "aria-label": label }) }
  const marks = [...codes].map((code) => make("i", { cls: KINDS[code] || "none" }))
  const about = { cls: "cell", title: words, "aria-label": label, tabindex: "-1", "data-at": `${row},${at}` }
  return make("td", {}, [button(about, () => model.send_msg({ row, class: at }), marks)])
}

function grid(model) {
  const heads = model.classes.map((text) => make("th", { text, scope: "col" }))
  const head = make("thead", {}, [make("tr", {}, [make("td"), ...heads])])
  const body = model.rows.map(({ label }, row) =>
    make("tr", {}, [make("th", { parts: label, scope: "row", title: label }), ...model.classes.map((_, at) => cell(model, row, at))]))
  return [head, make("tbody", {}, body)]
}

// Marks the cell that is looked at: the tab key goes to it alone, and the others are a letter away.
function look(model, table) {
  const here = model.cursor.join(",")
  for (const one of table.querySelectorAll(".cell")) {
    const looked = one.dataset.at === here
    one.setAttribute("aria-current", String(looked))
    one.tabIndex = looked ? 0 : -1
    if (looked) { reveal(one, table.parentNode) }
  }
}

export function render({ model, el }) {
  const table = make("table")
  const scroller = make("div", { cls: "scroller", tabindex: "0", role: "region" }, [table])
  const order = make("span", { cls: "order" })
  const legend = make("div", { cls: "foot" }, [key("n", "noticed in every way"), key("p", "in some ways"), key("m", "missed"), make("span", { text: "blank: no such faults" }), order])
  el.append(make("div", { cls: "frame" }, [scroller, legend]))
  const draw = () => {
    for (const named of [scroller, table]) { named.setAttribute("aria-label", model.label) }
    order.textContent = `In a cell from left to right: ${model.severities.join(", ")}% of the rows`
    table.replaceChildren(...grid(model))
    look(model, table)
  }
  model.on(["rows", "classes", "severities", "label"], draw)
  model.on("cursor", () => look(model, table))
  draw()
}
