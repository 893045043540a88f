import { button, make, save } from "./dom.js"
import { colour, legendKey, paintCell, palette, picture, sized } from "./grid_paint.js"

const LOW = 18
const HIGH = 27     // pixels of a row where there is room
const DEEP = 46     // pixels of three lines: where names have little room they wrap, as in the style sheet
const SLIM = 720    // pixels of a grid whose names have little room
const PHONE = 500   // and of one where they wrap: at a zoom of 200 % more rows say more
const NARROW = 2    // pixels: a year's days fit beside their names on a screen 1440 wide; a tip tells them apart
const WIDE = 26
const TICKS = 110   // as in the style sheet
const HEAD = 22     // the height of the dates above the lines, there too
const NAMES = 236
const LONG = 640    // pixels of names at most, as far as the batches leave them: rules of several columns have sentences for names

const within = (value, low, high) => Math.max(low, Math.min(high, value))
const fileName = (label) => (label || "grid").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")
// A cell that a spreadsheet would take for a formula is text all the same.
const csvCell = (value) => `"${(/^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? "'" : "") + String(value).replaceAll('"', '""')}"`

class Grid {
  constructor(model) {
    this.model = model
    this.width = 0
    this.tall = LOW
    this.spare = 0
    this.probe = make("span", { cls: "probe" })
    this.ticks = make("div", { cls: "ticks" })
    this.names = make("div", { cls: "names" })
    this.canvas = make("canvas", { "aria-hidden": "true" })
    this.box = make("div", { cls: "box" })
    this.tip = make("div", { cls: "tip" })
    this.none = make("div", { cls: "none" })
    this.live = make("div", { cls: "live", "aria-live": "polite" })
    this.legend = make("div", { cls: "foot" })
    this.tip.hidden = true
    const plot = make("div", { cls: "plot" }, [this.canvas, this.box])
    this.inner = make("div", { cls: "inner" }, [make("div", { cls: "corner" }), this.ticks, this.names, plot])
    // No ARIA grid: that is made of rows and cells, and this is a picture. Its row names are buttons, and the cell looked at is told below.
    this.scroller = make("div", { cls: "scroller", tabindex: "0", role: "region", "aria-label": model.label }, [this.inner, this.none])
    this.node = make("div", { cls: "frame" }, [this.scroller, this.legend, this.tip, this.live, this.probe])
    this.listen()
  }

  listen() {
    this.canvas.addEventListener("click", (event) => {
      const found = this.at(event)
      if (found) { this.model.send_msg({ row: found[0], column: found[1] }) }
    })
    this.canvas.addEventListener("mousemove", (event) => this.point(event))
    this.canvas.addEventListener("mouseleave", () => { this.tip.hidden = true })
    // The theme changed.
    this.probe.addEventListener("transitionend", () => { if (this.model.rows.length && this.scroller.clientWidth) { this.colour() } })
    this.watcher = new ResizeObserver(() => {
      if (this.scroller.clientWidth && (this.fit() !== this.width || this.fitRow() !== this.tall)) { this.draw() }
      if (this.scroller.clientWidth && this.snap()) { this.look() }
    })
    this.watcher.observe(this.scroller)
  }

  mark(row, column) {
    const code = this.model.cells[row * this.model.columns.length + column]
    return this.model.marks.find((mark) => mark.code === code)
  }

  // The row and the column below the mouse.
  at({ clientX, clientY }) {
    const frame = this.canvas.getBoundingClientRect()
    const [row, column] = [Math.floor((clientY - frame.top) / this.tall), Math.floor((clientX - frame.left) / this.width)]
    return this.holds(row, column) ? [row, column] : null
  }

  holds(row, column) { return row >= 0 && row < this.model.rows.length && column >= 0 && column < this.model.columns.length }

  point(event) {
    const found = this.at(event)
    this.tip.hidden = !found
    if (!found) { return }
    const row = this.model.rows[found[0]]
    const word = this.mark(...found)?.word || "nothing"
    this.tip.replaceChildren(make("b", { text: row.label }), ` ${row.note || ""} · ${this.model.columns[found[1]]}: ${word}`)
    const right = event.clientX > window.innerWidth - 320
    const side = right ? { left: "", right: `${window.innerWidth - event.clientX + 8}px` } : { left: `${event.clientX + 12}px`, right: "" }
    Object.assign(this.tip.style, { top: `${event.clientY + 16}px`, ...side })
  }

  fit() {
    const { scroller: { clientWidth }, model: { columns } } = this
    const batches = Math.max(columns.length, 1)
    this.beside = within(clientWidth - 4 - Math.max(batches * WIDE, TICKS), clientWidth < SLIM ? 170 : NAMES, LONG)
    this.inner.style.setProperty("--names", `${this.beside}px`)
    this.inner.classList.toggle("phone", clientWidth < PHONE)
    return within((clientWidth - this.beside - 4) / batches, NARROW, WIDE)
  }

  fitRow() {
    const { scroller: { clientWidth }, model: { rows } } = this
    return clientWidth < PHONE ? DEEP : within(Math.floor((this.room() - 40) / Math.max(rows.length, 1)), LOW, HIGH)
  }

  // The height that there is for the grid, with what `snap` leaves free.
  room() { return this.scroller.clientHeight + this.spare }

  // Of lines that scroll none is cut in two: what is left below the last whole one stays free. Whether that is more or less than before.
  snap() {
    const below = this.room() - HEAD
    const spare = this.tall * this.model.rows.length > below ? Math.max(0, below) % this.tall : 0
    const moves = spare !== this.spare
    this.spare = spare
    this.scroller.style.marginBottom = `${spare}px`
    return moves
  }

  draw() {
    const { empty, rows } = this.model
    this.none.textContent = rows.length ? "" : empty
    this.none.hidden = Boolean(rows.length)
    this.inner.hidden = this.legend.hidden = !rows.length
    if (!rows.length || !this.scroller.clientWidth) { return }
    const first = !this.width
    this.width = this.fit()
    this.tall = this.fitRow()
    this.fillNames()
    this.fillTicks()
    this.colour()
    // The newest is what most people came for.
    if (first) { this.scroller.scrollLeft = this.scroller.scrollWidth }
    this.snap()
    this.look()
  }

  colour() {
    const colours = palette(this.node, this.model.marks)
    this.paint(colours)
    this.fillLegend(colours)
  }

  paint(colours) {
    const { cells, columns, marks, rows } = this.model
    const known = Object.fromEntries(marks.map((mark) => [mark.code, mark]))
    const pen = sized(this.canvas, Math.ceil(this.width * columns.length), this.tall * rows.length, window.devicePixelRatio || 1)
    const edges = columns.map((_, at) => Math.round(at * this.width))
    edges.push(Math.round(columns.length * this.width))
    for (let at = 0; at < cells.length; at += 1) {
      const [row, column] = [Math.floor(at / columns.length), at % columns.length]
      paintCell(pen, known[cells[at]], colours, [edges[column], row * this.tall, edges[column + 1] - edges[column], this.tall])
    }
  }

  fillTicks() {
    const { columns } = this.model
    const longest = Math.max(0, ...columns.map((name) => name.length))
    const every = Math.max(1, Math.ceil((Math.min(longest, 16) * 6.6 + 16) / this.width))
    this.ticks.replaceChildren(...columns.flatMap((name, at) => {
      if (at % every || (at && (columns.length - at) * this.width < 60)) { return [] }
      const tick = make("span", { text: name.length > 16 ? `${name.slice(0, 15)}…` : name })
      tick.style.left = `${Math.round(at * this.width)}px`
      return [tick]
    }))
  }

  fillNames() {
    this.names.replaceChildren(...this.model.rows.map((row, at) => {
      const [label, note, count] = ["label", "note", "count"].map((part) => make("span", { cls: part, text: row[part] || "" }))
      const parts = [make("span", { cls: "called" }, [label, " ", note]), count]
      const pick = () => this.model.send_msg({ row: at, column: -1 })
      const name = button({ cls: "name", title: row.title || row.label, tabindex: "-1" }, pick, parts)
      name.style.height = `${this.tall}px`
      return name
    }))
  }

  fillLegend(colours) {
    const { cells, marks } = this.model
    const keys = marks.filter((mark) => mark.size > 0 || cells.includes(mark.code)).map((mark) => legendKey(mark, colours))
    const csv = button({ text: "CSV", title: "Save the table" }, () => this.saveTable())
    const png = button({ text: "PNG", title: "Save the picture" }, () => this.savePicture())
    this.legend.replaceChildren(...keys, make("span", { cls: "saves" }, [csv, png]))
  }

  // Marks the cell and the row that are looked at.
  look() {
    const { columns, cursor: [row, column], rows } = this.model
    this.names.querySelectorAll(".name").forEach((name, at) => {
      name.classList.toggle("here", at === row)
      name.setAttribute("aria-current", String(at === row))
    })
    this.box.hidden = !this.holds(row, column)
    if (this.box.hidden) { return }
    const [left, top, wide] = [Math.round(column * this.width), row * this.tall, Math.max(this.width, 6)]
    Object.assign(this.box.style, { left: `${left - 1}px`, top: `${top - 1}px`, width: `${wide + 2}px`, height: `${this.tall + 2}px` })
    this.live.textContent = `${rows[row].label} ${rows[row].note || ""}, ${columns[column]}: ${this.mark(row, column)?.word ?? ""}`
    this.follow(left, top, wide)
  }

  follow(left, top, wide) {
    const { scroller, tall } = this
    const [high, broad] = [scroller.clientHeight - HEAD, scroller.clientWidth - this.beside]
    if (top < scroller.scrollTop) { scroller.scrollTop = top }
    else if (top + tall > scroller.scrollTop + high) { scroller.scrollTop = top + tall - high }
    if (left < scroller.scrollLeft) { scroller.scrollLeft = left - 20 }
    else if (left + wide > scroller.scrollLeft + broad) { scroller.scrollLeft = left + wide - broad + 20 }
  }

  saveTable() {
    const { columns, label, rows } = this.model
    const lines = [["", "", ...columns]]
    rows.forEach((row, r) => lines.push([row.label, row.note || "", ...columns.map((_, c) => this.mark(r, c)?.word ?? "")]))
    save(`${fileName(label)}.csv`, lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join(""))
  }

  savePicture() {
    const { label, rows } = this.model
    const ticks = [...this.ticks.children].map((tick) => [tick.textContent, parseInt(tick.style.left, 10)])
    const [paper, ink] = [colour(this.node, "var(--avh-paper)"), getComputedStyle(this.probe).color]
    picture({ canvas: this.canvas, ink, names: NAMES, paper, rows, tall: this.tall, ticks }).toBlob((blob) => save(`${fileName(label)}.png`, blob))
  }
}

export function render({ model, el }) {
  const grid = new Grid(model)
  el.append(grid.node)
  let soon = 0  // several properties change at once
  model.on(["rows", "columns", "cells", "marks", "empty"], () => { clearTimeout(soon); soon = setTimeout(() => grid.draw(), 0) })
  model.on("cursor", () => grid.look())
  model.on("label", () => grid.scroller.setAttribute("aria-label", model.label))
  model.on("remove", () => grid.watcher.disconnect())
  grid.draw()
}
