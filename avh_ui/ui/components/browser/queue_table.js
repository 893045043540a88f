import { button, drawTogether, make, place, reveal, written } from "./dom.js"
import { Ahead } from "./queue_ahead.js"
import { line } from "./queue_rows.js"

const HEADS = [
  { key: "source", name: "Source", title: "What suggested it: H history, C corpus, R latest batch, V known values, G first batches, T columns together, M somebody" },
  { key: "column", label: "Column", sortable: true },
  { key: "rule", label: "Rule" },
  { key: "history", label: "History" },
  { key: "fpr", label: "False alarms", sortable: true, title: "The share of clean batches that it alarms on, at most" },
  { key: "caught", label: "Catches", sortable: true, title: "Faults it notices, of those that were tried" },
  { key: "status", label: "Status", sortable: true },
]

function headCell({ key, label, name, sortable, title }, send) {
  const cell = make("th", { cls: key, scope: "col", title })
  const parts = [make("span", { text: label }), make("span", { cls: "arrow", "aria-hidden": "true" })]
  const plain = name ? make("span", { cls: "heard", text: name }) : label
  cell.append(sortable ? button({ "aria-label": label }, () => send({ do: "sort", name: key }), parts) : plain)
  return cell
}

class Table {
  constructor(model) {
    this.model = model
    this.ahead = new Ahead()
    this.known = new WeakMap() // by line what it was drawn of
    this.sent = {}
    this.send = (event) => model.send_msg(event)
    this.all = make("input", { type: "checkbox", "aria-label": "Select all that the filter shows" })
    this.all.addEventListener("click", (event) => { event.preventDefault(); this.send({ do: "check_all" }) })
    this.heads = HEADS.map((head) => headCell(head, this.send))
    this.body = make("tbody")
    const head = make("thead", {}, [make("tr", {}, [make("th", { cls: "tick", scope: "col" }, [this.all]), ...this.heads])])
    this.table = make("table", { "aria-label": "Suggestions" }, [head, this.body])
    this.empty = make("div", { cls: "none" })
    this.scroller = make("div", { cls: "scroller" }, [this.table, this.empty])
    this.node = make("div", { cls: "frame" }, [this.scroller, this.pager()])
    this.body.addEventListener("click", (event) => this.clicked(event))
    this.body.addEventListener("dblclick", ({ target }) => {
      const row = target.closest("tr.group")
      if (row && !target.closest(".tick, .toggle")) { this.send({ do: "toggle", id: row.dataset.id }) }
    })
    this.body.addEventListener("mousedown", (event) => { if (event.shiftKey) { event.preventDefault() } })
  }

  // The page's rows: those of a whole page, and what stands in the place of some of them by now.
  rows() {
    const { changes, rows } = this.model
    if (this.sent.rows !== rows) { this.sent = { rows, page: JSON.parse(rows) } }
    if (this.sent.changes !== changes) {
      const now = JSON.parse(changes)
      Object.assign(this.sent, { changes, now: this.sent.page.map((row, at) => now[at] ?? row) })
    }
    return this.sent.now
  }

  pager() {
    const turn = (name, text, by) =>
      button({ text, "aria-label": name, title: name }, () => this.send({ do: "turn", page: this.model.page + by }))
    this.note = make("span", { cls: "note quiet", role: "status" })
    this.range = make("span", { cls: "quiet num", "aria-live": "polite" })
    this.earlier = turn("Previous page", "‹", -1)
    this.later = turn("Next page", "›", 1)
    return make("nav", { cls: "pager", "aria-label": "Pages of the table" }, [this.note, this.range, this.earlier, this.later])
  }

  clicked({ target, shiftKey, ctrlKey, metaKey }) {
    const id = target.closest("tr")?.dataset.id
    if (!id) { return }
    if (target.closest(".toggle")) {
      this.send({ do: "toggle", id })
    } else if (target.closest(".tick") || shiftKey || ctrlKey || metaKey) {
      this.send({ do: "check", id, through: shiftKey })
    } else {
      // A key that comes before the server's answer is about what was clicked.
      this.ahead.looked = id
      this.mark(false)
      this.send({ do: "look", id })
    }
  }

  // A key was pressed: what it will do is seen at once.
  hear(asked) {
    if (!this.node.offsetParent) { return }
    const rows = new Map(this.rows().map((row) => [row.id, row]))
    this.ahead.hear(asked, this.model, [...rows.values()])
    for (const one of this.body.querySelectorAll("tr")) {
      if (this.ahead.decided.get(one.dataset.id)?.seq === asked.seq) { one.replaceWith(this.drawn(rows.get(one.dataset.id))) }
    }
    this.mark(true)
  }

  settle() {
    if (this.ahead.settle(this.model.settled, this.rows())) { this.fill() } else { this.mark(true) }
  }

  // A line, drawn anew only where it says something else than the `old` one: that may be just being clicked.
  drawn(row, old) {
    const shown = this.ahead.shown(row)
    const text = JSON.stringify(shown)
    if (old && this.known.get(old) === text) { return old }
    const made = line(shown, this.model.glyphs)
    this.known.set(made, text)
    return made
  }

  // Which row is looked at, and which are ticked.
  mark(follow) {
    const { checked, items } = this.model
    this.ahead.arrived(this.model, this.rows())
    const cursor = this.ahead.at(this.model)
    const ticked = new Set(checked)
    const groups = new Map(this.rows().filter((row) => row.group).map((row) => [row.id, row.ids]))
    for (const row of this.body.children) {
      const here = row.dataset.id === cursor
      const members = groups.get(row.dataset.id) ?? [row.dataset.id]
      const count = members.filter((id) => ticked.has(id)).length
      row.classList.toggle("here", here)
      row.classList.toggle("ticked", count === members.length)
      row.setAttribute("aria-current", here ? "true" : "false")
      row.tabIndex = here ? 0 : -1
      const tick = row.querySelector("input")
      tick.checked = count === members.length
      tick.indeterminate = count > 0 && count < members.length
      if (here && follow) { reveal(row, this.scroller) }
    }
    this.all.checked = items > 0 && ticked.size >= items
    this.all.indeterminate = ticked.size > 0 && ticked.size < items
  }

  fill() {
    const { empty } = this.model
    const rows = this.rows()
    const focused = this.body.contains(this.body.getRootNode().activeElement)
    const lines = new Map([...this.body.children].map((old) => [old.dataset.id, old]))
    place(this.body, rows.map((row) => this.drawn(row, lines.get(row.id))))
    this.mark(true)
    if (focused) { this.body.querySelector("tr.here")?.focus({ preventScroll: true }) }
    this.table.hidden = !rows.length
    this.empty.replaceChildren(...(rows.length ? [] : [empty, button({ text: "Show all" }, () => this.send({ do: "clear" }))]))
  }

  turn() {
    const { descending, page, page_size: size, pages, sort, total } = this.model
    const [first, last] = [page * size, Math.min((page + 1) * size, total)]
    this.range.textContent = total ? `${written(first + 1)} – ${written(last)} of ${written(total)}` : ""
    this.earlier.disabled = page <= 0
    this.later.disabled = page >= pages - 1
    this.earlier.hidden = this.later.hidden = pages < 2
    for (const cell of this.heads) {
      const sorted = cell.className === sort
      const arrow = cell.querySelector(".arrow")
      if (arrow) { arrow.textContent = sorted ? (descending ? "▼" : "▲") : "" }
      if (sorted) { cell.setAttribute("aria-sort", descending ? "descending" : "ascending") } else { cell.removeAttribute("aria-sort") }
    }
  }

  tell() { this.note.textContent = this.note.title = this.model.note }
}

export function render({ model, el }) {
  const table = new Table(model)
  el.append(table.node)
  model.on("note", () => table.tell())
  drawTogether(model, ["rows", "changes", "empty"], () => table.fill())
  model.on(["cursor"], () => table.mark(true))
  model.on("settled", () => table.settle())
  const listened = new AbortController()
  window.addEventListener("avh-key", ({ detail }) => table.hear(detail), { signal: listened.signal })
  model.on("remove", () => listened.abort())
  model.on(["checked", "items"], () => table.mark(false))
  model.on(["total", "page", "pages", "sort", "descending"], () => table.turn())
  table.fill()
  table.turn()
  table.tell()
}
