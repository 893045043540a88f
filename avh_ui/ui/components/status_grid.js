const LOW = 18
const HIGH = 27     // pixels of a row where there is room
const NARROW = 2    // pixels: a year's days fit beside their names on a screen 1440 wide; a tip tells them apart
const WIDE = 26
const GLYPHS = 11   // from this width on a glyph fits into a cell
const NAMES = 236

// Text is only ever set as text: values of the data cannot become markup.
function make(name, { text, cls, title, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (cls) { node.className = cls }
  if (title) { node.title = title }
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

function download(name, blob) {
  const link = make("a", { download: name, href: URL.createObjectURL(blob) })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

const fileName = (label) => (label || "grid").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")
// A cell that a spreadsheet would take for a formula is text all the same.
const csvCell = (value) => `"${(/^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? "'" : "") + String(value).replaceAll('"', '""')}"`

export function render({ model, el }) {
  const probe = make("span", { cls: "probe" })
  // No ARIA grid: that is made of rows and cells, and this is a picture. Its row names are buttons, and the cell looked at is told below.
  const scroller = make("div", { cls: "scroller", tabindex: "0", role: "region", "aria-label": model.label })
  const inner = make("div", { cls: "inner" })
  const corner = make("div", { cls: "corner" })
  const ticks = make("div", { cls: "ticks" })
  const names = make("div", { cls: "names" })
  const canvas = make("canvas", { "aria-hidden": "true" })
  const box = make("div", { cls: "box" })
  const plot = make("div", { cls: "plot" }, [canvas, box])
  const tip = make("div", { cls: "tip" })
  const none = make("div", { cls: "none" })
  const live = make("div", { cls: "live", "aria-live": "polite" })
  const legend = make("div", { cls: "foot" })
  tip.hidden = true
  inner.append(corner, ticks, names, plot)
  scroller.append(inner, none)
  el.append(make("div", { cls: "frame" }, [scroller, legend, tip, live, probe]))

  let width = 0
  let tall = LOW
  const colour = (tone) => {
    const swatch = make("span", { style: `color: var(--grid-${tone}); display: none` })
    el.append(swatch)
    const found = getComputedStyle(swatch).color
    swatch.remove()
    return found
  }
  const palette = () => {
    const found = { ink: colour("ink"), pale: colour("ok") }
    for (const mark of model.marks) { found[mark.code] = colour(mark.tone) }
    return found
  }
  const kinds = () => Object.fromEntries(model.marks.map((mark) => [mark.code, mark]))

  const cell = (pen, mark, { fill, ink, pale }, x, y, w, h) => {
    const gap = w >= 6 ? 1 : 0
    const [left, wide, top, high] = [x, w - gap, y + 1, h - 2]
    if (!mark || mark.size === 0) { return }
    pen.fillStyle = fill
    if (mark.hollow) {
      // Not judged, not there: a line through the middle.
      pen.fillRect(left, top + high / 2 - 1, wide, 2)
      return
    }
    if (mark.size < 1) {
      pen.fillStyle = pale
      pen.fillRect(left, top, wide, high)
      pen.fillStyle = fill
    }
    const height = Math.max(2, Math.round(high * mark.size))
    pen.fillRect(left, top + high - height, wide, height)
    if (mark.glyph && w >= GLYPHS && mark.size >= 0.7) {
      pen.fillStyle = ink
      pen.font = "bold 10px sans-serif"
      pen.textAlign = "center"
      pen.textBaseline = "middle"
      pen.fillText(mark.glyph, left + wide / 2, top + high - height / 2 + 0.5)
    }
  }
  const paint = () => {
    const [rows, columns] = [model.rows.length, model.columns.length]
    const [w, h] = [Math.ceil(width * columns), tall * rows]
    const ratio = window.devicePixelRatio || 1
    canvas.width = w * ratio
    canvas.height = h * ratio
    canvas.style.width = `${w}px`
    canvas.style.height = `${h}px`
    const pen = canvas.getContext("2d")
    pen.scale(ratio, ratio)
    const [colours, known] = [palette(), kinds()]
    for (let r = 0; r < rows; r += 1) {
      for (let c = 0; c < columns; c += 1) {
        const code = model.cells[r * columns + c]
        const left = Math.round(c * width)
        cell(pen, known[code], { ...colours, fill: colours[code] }, left, r * tall, Math.round((c + 1) * width) - left, tall)
      }
    }
  }
  const fillTicks = () => {
    const longest = Math.max(0, ...model.columns.map((name) => name.length))
    const every = Math.max(1, Math.ceil((Math.min(longest, 16) * 6.6 + 16) / width))
    ticks.replaceChildren(...model.columns.flatMap((name, at) => {
      if (at % every || (at && (model.columns.length - at) * width < 60)) { return [] }
      const tick = make("span", { text: name.length > 16 ? `${name.slice(0, 15)}…` : name })
      tick.style.left = `${Math.round(at * width)}px`
      return [tick]
    }))
  }
  const fillNames = () => {
    names.replaceChildren(...model.rows.map((row, at) => {
      const button = make("button", { cls: "name", type: "button", title: row.title || row.label, tabindex: "-1" }, [
        make("span", { cls: "label", text: row.label }),
        make("span", { cls: "note", text: row.note || "" }),
        make("span", { cls: "count", text: row.count || "" }),
      ])
      button.style.height = `${tall}px`
      button.addEventListener("click", () => model.send_msg({ row: at, column: -1 }))
      return button
    }))
  }
  const fillLegend = () => {
    const colours = palette()
    const keys = model.marks.filter((mark) => mark.size > 0 || model.cells.includes(mark.code)).map((mark) => {
      const swatch = make("canvas", { width: 28, height: 32, "aria-hidden": "true", cls: mark.size ? "" : "blank" })
      swatch.style.width = "14px"
      swatch.style.height = "16px"
      const pen = swatch.getContext("2d")
      pen.scale(2, 2)
      cell(pen, mark, { ...colours, fill: colours[mark.code] }, 0, 0, 14, 16)
      return make("span", { cls: "key" }, [swatch, document.createTextNode(mark.word)])
    })
    const png = make("button", { type: "button", text: "PNG", title: "Save the picture" })
    png.addEventListener("click", savePicture)
    const csv = make("button", { type: "button", text: "CSV", title: "Save the table" })
    csv.addEventListener("click", saveTable)
    legend.replaceChildren(...keys, make("span", { cls: "space" }), csv, png)
  }
  const words = (row, column) => {
    const mark = kinds()[model.cells[row * model.columns.length + column]]
    return mark ? mark.word : ""
  }
  const point = (follow) => {
    const [row, column] = model.cursor
    names.querySelectorAll(".name").forEach((name, at) => {
      name.classList.toggle("here", at === row)
      name.setAttribute("aria-current", String(at === row))
    })
    const there = row >= 0 && row < model.rows.length && column >= 0 && column < model.columns.length
    box.hidden = !there
    if (!there) { return }
    const [left, top, wide] = [Math.round(column * width), row * tall, Math.max(width, 6)]
    Object.assign(box.style, { left: `${left - 1}px`, top: `${top - 1}px`, width: `${wide + 2}px`, height: `${tall + 2}px` })
    live.textContent = `${model.rows[row].label} ${model.rows[row].note || ""}, ${model.columns[column]}: ${words(row, column)}`
    if (!follow) { return }
    const [seenTop, seenHeight] = [scroller.scrollTop, scroller.clientHeight - 22]
    if (top < seenTop) { scroller.scrollTop = top } else if (top + tall > seenTop + seenHeight) { scroller.scrollTop = top + tall - seenHeight }
    const [seenLeft, seenWidth] = [scroller.scrollLeft, scroller.clientWidth - NAMES]
    if (left < seenLeft) { scroller.scrollLeft = left - 20 } else if (left + wide > seenLeft + seenWidth) { scroller.scrollLeft = left + wide - seenWidth + 20 }
  }
  const fit = () => {
    const names_width = scroller.clientWidth < 720 ? 170 : NAMES
    inner.style.setProperty("--names", `${names_width}px`)
    const space = scroller.clientWidth - names_width - 4
    return Math.max(NARROW, Math.min(WIDE, space / Math.max(model.columns.length, 1)))
  }
  const fitRow = () => Math.max(LOW, Math.min(HIGH, Math.floor((scroller.clientHeight - 40) / Math.max(model.rows.length, 1))))
  const draw = () => {
    none.textContent = model.rows.length ? "" : model.empty
    none.hidden = Boolean(model.rows.length)
    inner.hidden = legend.hidden = !model.rows.length
    if (!model.rows.length || !scroller.clientWidth) { return }
    const first = !width
    width = fit()
    tall = fitRow()
    fillNames()
    fillTicks()
    paint()
    fillLegend()
    // The newest is what most people came for.
    if (first) { scroller.scrollLeft = scroller.scrollWidth }
    point(true)
  }
  const saveTable = () => {
    const lines = [["", "", ...model.columns].map(csvCell).join(",")]
    model.rows.forEach((row, r) => {
      lines.push([row.label, row.note || "", ...model.columns.map((_, c) => words(r, c))].map(csvCell).join(","))
    })
    download(`${fileName(model.label)}.csv`, new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }))
  }
  const savePicture = () => {
    const style = getComputedStyle(probe)
    const whole = make("canvas", { width: (NAMES + canvas.width / devicePixelRatio) * 2, height: (24 + tall * model.rows.length) * 2 })
    const pen = whole.getContext("2d")
    pen.scale(2, 2)
    const paper = make("span", { style: "color: var(--avh-paper)" })
    el.append(paper)
    pen.fillStyle = getComputedStyle(paper).color
    paper.remove()
    pen.fillRect(0, 0, whole.width, whole.height)
    pen.fillStyle = style.color
    pen.font = "11px sans-serif"
    for (const tick of ticks.children) { pen.fillText(tick.textContent, NAMES + parseInt(tick.style.left, 10) + 4, 15) }
    model.rows.forEach((row, at) => {
      pen.fillText(`${row.label}  ${row.note || ""}`.slice(0, 40), 8, 24 + at * tall + tall / 2 + 4, NAMES - 16)
    })
    pen.drawImage(canvas, NAMES, 24, canvas.width / devicePixelRatio, canvas.height / devicePixelRatio)
    whole.toBlob((blob) => download(`${fileName(model.label)}.png`, blob))
  }

  const at = (event) => {
    const frame = canvas.getBoundingClientRect()
    const [row, column] = [Math.floor((event.clientY - frame.top) / tall), Math.floor((event.clientX - frame.left) / width)]
    return row >= 0 && row < model.rows.length && column >= 0 && column < model.columns.length ? [row, column] : null
  }
  canvas.addEventListener("click", (event) => {
    const found = at(event)
    if (found) { model.send_msg({ row: found[0], column: found[1] }) }
  })
  canvas.addEventListener("mousemove", (event) => {
    const found = at(event)
    tip.hidden = !found
    if (!found) { return }
    const row = model.rows[found[0]]
    tip.replaceChildren(make("b", { text: row.label }), ` ${row.note || ""} · ${model.columns[found[1]]}: ${words(...found) || "nothing"}`)
    const right = event.clientX > window.innerWidth - 320
    Object.assign(tip.style, { top: `${event.clientY + 16}px`, left: right ? "" : `${event.clientX + 12}px`, right: right ? `${window.innerWidth - event.clientX + 8}px` : "" })
  })
  canvas.addEventListener("mouseleave", () => { tip.hidden = true })
  probe.addEventListener("transitionend", () => { if (model.rows.length && scroller.clientWidth) { paint(); fillLegend() } })
  const watcher = new ResizeObserver(() => { if (scroller.clientWidth && (fit() !== width || fitRow() !== tall)) { draw() } })
  watcher.observe(scroller)
  model.on(["rows", "columns", "cells", "marks", "empty"], () => { clearTimeout(draw.soon); draw.soon = setTimeout(draw, 0) })
  model.on("cursor", () => point(true))
  model.on("label", () => scroller.setAttribute("aria-label", model.label))
  model.on("remove", () => watcher.disconnect())
  draw()
}
