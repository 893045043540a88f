const SVG = "http://www.w3.org/2000/svg"
const WIDTH = 112
const HEIGHT = 20
const LETTERS = { history: "H", corpus: "C", snapshot: "R", manual: "M" }
const HEADS = [
  { key: "source", label: "", name: "Source", title: "What suggested it: H history, C corpus, R rule on the latest batch" },
  { key: "column", label: "Column", sortable: true },
  { key: "metric", label: "Metric", sortable: true },
  { key: "bounds", label: "Bounds" },
  { key: "history", label: "History" },
  { key: "fpr", label: "FPR", sortable: true, title: "Upper bound on the false-positive rate per batch" },
  { key: "caught", label: "Catches", sortable: true, title: "Injected issues it catches, of those tried" },
  { key: "status", label: "Status", sortable: true },
]

// Text is only ever set as text: values of the data cannot become markup.
function make(name, { text, title, cls, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (title) { node.title = title }
  if (cls) { node.className = cls }
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  return node
}

function sparkline(spark) {
  if (!spark) { return make("span", { text: "no history", cls: "quiet" }) }
  const up = (value) => (HEIGHT - 2 - (value / 100) * (HEIGHT - 4)).toFixed(1)
  const along = (at) => (2 + (at * (WIDTH - 4)) / Math.max(spark.y.length - 1, 1)).toFixed(1)
  const words = spark.fires ? `history; would have fired on ${spark.fires} ${spark.fires === 1 ? "batch" : "batches"}` : "history; would not have fired"
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": words })
  const [low, high] = spark.band
  const height = Math.max(up(low) - up(high), 1)
  svg.append(shape("rect", { x: 0, width: WIDTH, y: up(high), height, class: "band" }))
  const parts = []
  spark.y.forEach((value, at) => {
    if (value != null) { parts.push(`${at && spark.y[at - 1] != null ? "L" : "M"}${along(at)} ${up(value)}`) }
  })
  svg.append(shape("path", { d: parts.join(""), class: "line" }))
  for (const at of spark.fired) {
    const [x, y] = [along(at), up(spark.y[at])]
    svg.append(shape("path", { d: `M${x - 2.4} ${y - 2.4}l4.8 4.8m0 -4.8l-4.8 4.8`, class: "fired" }))
  }
  return svg
}

function catches(row) {
  const share = row.variants ? (100 * row.caught) / row.variants : 0
  const only = row.only ? `; ${row.only} of them only this one catches` : ""
  const cell = make("td", { cls: "caught num", title: `${row.caught} of ${row.variants} injected issues${only}` })
  const bar = make("span", { cls: "bar", "aria-hidden": "true" }, [make("i")])
  bar.firstChild.style.width = `${share}%`
  cell.append(bar, make("span", { text: `${row.caught}/${row.variants}` }))
  return cell
}

export function render({ model, el }) {
  const send = (event) => model.send_msg(event)
  const checkAll = make("input", { type: "checkbox", "aria-label": "Select all that the filter shows" })
  checkAll.addEventListener("click", (event) => { event.preventDefault(); send({ do: "check_all" }) })
  const headRow = make("tr", {}, [make("th", { cls: "tick", scope: "col" }, [checkAll])])
  for (const head of HEADS) {
    const cell = make("th", { cls: head.key, scope: "col", title: head.title })
    if (head.name) { cell.setAttribute("aria-label", head.name) }
    if (head.sortable) {
      const button = make("button", { type: "button" }, [make("span", { text: head.label }), make("span", { cls: "arrow", "aria-hidden": "true" })])
      button.addEventListener("click", () => send({ do: "sort", name: head.key }))
      cell.append(button)
    } else {
      cell.textContent = head.label
    }
    headRow.append(cell)
  }
  const body = make("tbody")
  const table = make("table", { "aria-label": "Suggestions" }, [make("thead", {}, [headRow]), body])
  const empty = make("div", { cls: "none" })
  const scroller = make("div", { cls: "scroller" }, [table, empty])
  const note = make("span", { cls: "note quiet", role: "status" })
  const range = make("span", { cls: "quiet num", "aria-live": "polite" })
  const earlier = make("button", { type: "button", text: "‹", "aria-label": "Previous page", title: "Previous page" })
  const later = make("button", { type: "button", text: "›", "aria-label": "Next page", title: "Next page" })
  earlier.addEventListener("click", () => send({ do: "turn", page: model.page - 1 }))
  later.addEventListener("click", () => send({ do: "turn", page: model.page + 1 }))
  const pager = make("nav", { cls: "pager", "aria-label": "Pages of the table" }, [note, range, earlier, later])
  el.append(make("div", { cls: "frame" }, [scroller, pager]))

  const button = (text, attributes) => make("button", { type: "button", text, tabindex: "-1", ...attributes })
  const group = (row) => {
    const box = make("input", { type: "checkbox", "aria-label": `Select all of ${row.label}`, tabindex: "-1" })
    const toggle = button(row.opened ? "▾" : "▸", { cls: "toggle", "aria-expanded": String(row.opened), "aria-label": `${row.opened ? "Close" : "Open"} ${row.label}` })
    const counts = row.statuses.map(([name, number]) => make("span", { cls: `status status-${name}`, title: `${number} ${name}` }, [
      make("span", { text: model.glyphs[name], "aria-hidden": "true" }), make("span", { text: String(number), cls: "num" }), make("span", { text: ` ${name}`, cls: "hidden" }),
    ]))
    return make("tr", { "data-id": row.id, tabindex: "-1", cls: "group" }, [
      make("td", { cls: "tick" }, [box]),
      make("td", { cls: "name", colspan: "5" }, [make("div", { cls: "line" }, [
        toggle, ...badge(row), make("span", { text: row.label, cls: "label", title: row.label }), make("span", { text: row.note, cls: "quiet note", title: row.note }),
        make("span", { cls: "counts" }, counts),
      ])]),
      make("td", { cls: "fpr num", text: row.fpr, title: row.fpr_title }),
      make("td", { cls: "caught num", text: row.caught, title: row.caught_title }),
      make("td"),
    ])
  }
  const badge = (row) => row.source ? [make("span", { cls: `origin ${row.source}`, text: LETTERS[row.source], title: row.source_title, "aria-label": row.source_title, role: "img" })] : []
  const tags = (row) => {
    const made = []
    if (row.comments) { made.push(make("span", { text: `❝${row.comments}`, title: row.comments_title, cls: "tag" })) }
    if (row.assignee) { made.push(make("span", { text: `@${row.assignee}`, title: `assigned to ${row.assignee}`, cls: "tag person" })) }
    return made
  }
  const line = (row) => {
    if (row.group) { return group(row) }
    const box = make("input", { type: "checkbox", "aria-label": `Select ${row.metric} of ${row.column}`, tabindex: "-1" })
    const status = make("td", { cls: "status", title: row.status_title }, [
      make("span", { cls: `status status-${row.status}` }, [
        make("span", { text: model.glyphs[row.status], "aria-hidden": "true" }),
        make("span", { text: ` ${row.status}`, cls: "word" }),
      ]),
    ])
    const bounds = make("td", { cls: "bounds num", title: row.bounds }, [make("span", { text: row.bounds })])
    if (row.tag) { bounds.append(make("span", { text: row.tag, title: row.tag_title, cls: "tag" })) }
    const tr = make("tr", { "data-id": row.id, tabindex: "-1" }, [
      make("td", { cls: "tick" }, [box]),
      make("td", { cls: "source" }, badge(row)),
      make("td", { cls: "column", title: row.column }, [make("span", { text: row.column, cls: "label" }), ...tags(row)]),
      make("td", { cls: "metric", text: row.metric, title: row.description ? `${row.metric}: ${row.description}` : row.metric }),
      bounds,
      make("td", { cls: "history" }, [sparkline(row.spark)]),
      make("td", { cls: "fpr num", text: row.fpr, title: row.fpr_title }),
      catches(row),
      status,
    ])
    return tr
  }

  const mark = (follow) => {
    const checked = new Set(model.checked)
    const groups = new Map(model.rows.filter((row) => row.group).map((row) => [row.id, row.ids]))
    for (const tr of body.children) {
      const here = tr.dataset.id === model.cursor
      tr.classList.toggle("here", here)
      const members = groups.get(tr.dataset.id) ?? [tr.dataset.id]
      const ticked = members.filter((id) => checked.has(id)).length
      tr.classList.toggle("ticked", ticked === members.length)
      tr.setAttribute("aria-current", here ? "true" : "false")
      tr.tabIndex = here ? 0 : -1
      const tick = tr.querySelector("input")
      tick.checked = ticked === members.length
      tick.indeterminate = ticked > 0 && ticked < members.length
      if (here && follow) { tr.scrollIntoView({ block: "nearest" }) }
    }
    checkAll.checked = model.items > 0 && checked.size >= model.items
    checkAll.indeterminate = checked.size > 0 && checked.size < model.items
  }
  const fill = () => {
    const focused = body.contains(el.getRootNode().activeElement)
    body.replaceChildren(...model.rows.map(line))
    mark(true)
    if (focused) { body.querySelector("tr.here")?.focus({ preventScroll: true }) }
    empty.textContent = model.rows.length ? "" : model.empty
    table.hidden = !model.rows.length
    if (!model.rows.length) {
      const all = make("button", { type: "button", text: "Show all" })
      all.addEventListener("click", () => send({ do: "clear" }))
      empty.append(all)
    }
  }
  const turn = () => {
    const first = model.page * model.page_size
    const last = Math.min(first + model.page_size, model.total)
    range.textContent = model.total ? `${(first + 1).toLocaleString("en")} – ${last.toLocaleString("en")} of ${model.total.toLocaleString("en")}` : ""
    earlier.disabled = model.page <= 0
    later.disabled = model.page >= model.pages - 1
    earlier.hidden = later.hidden = model.pages < 2
    for (const cell of headRow.querySelectorAll("th")) {
      const sorted = cell.className === model.sort
      const arrow = cell.querySelector(".arrow")
      if (arrow) { arrow.textContent = sorted ? (model.descending ? "▼" : "▲") : "" }
      if (sorted) { cell.setAttribute("aria-sort", model.descending ? "descending" : "ascending") } else { cell.removeAttribute("aria-sort") }
    }
  }

  body.addEventListener("click", (event) => {
    const id = event.target.closest("tr")?.dataset.id
    if (!id) { return }
    if (event.target.closest(".toggle")) {
      send({ do: "toggle", id })
    } else if (event.target.closest(".tick")) {
      send({ do: "check", id, through: event.shiftKey })
    } else if (event.shiftKey || event.ctrlKey || event.metaKey) {
      send({ do: "check", id, through: event.shiftKey })
    } else {
      for (const tr of body.children) { tr.classList.toggle("here", tr.dataset.id === id) }
      send({ do: "look", id })
    }
  })
  body.addEventListener("dblclick", (event) => {
    const tr = event.target.closest("tr.group")
    if (tr && !event.target.closest(".tick, .toggle")) { send({ do: "toggle", id: tr.dataset.id }) }
  })
  body.addEventListener("mousedown", (event) => { if (event.shiftKey) { event.preventDefault() } })
  const tell = () => { note.textContent = note.title = model.note }
  model.on("note", tell)
  model.on(["rows", "empty"], fill)
  model.on(["cursor"], () => mark(true))
  model.on(["checked"], () => mark(false))
  model.on(["total", "page", "pages", "sort", "descending"], turn)
  model.on("items", () => mark(false))
  fill()
  turn()
  tell()
}
