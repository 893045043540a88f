// How the cells of a grid are painted, on a canvas of its own and in a saved picture.
import { make } from "./dom.js"

const GLYPHS = 11  // from this width on a glyph fits into a cell
const SHARP = 2    // pixels of a picture per pixel of the page: it may be printed

// A colour of the theme as the canvas needs it; `el` is within the theme.
export function colour(el, value) {
  const swatch = make("span", { style: `color: ${value}; display: none` })
  el.append(swatch)
  const found = getComputedStyle(swatch).color
  swatch.remove()
  return found
}

// The colours of marks by their codes, of a glyph upon them (`ink`) and of what a mark leaves free of its cell (`pale`).
export function palette(el, marks) {
  const tone = (name) => colour(el, `var(--grid-${name})`)
  return { ink: tone("ink"), pale: tone("ok"), ...Object.fromEntries(marks.map((mark) => [mark.code, tone(mark.tone)])) }
}

export function paintCell(pen, mark, colours, [x, y, w, h]) {
  if (!mark || mark.size === 0) { return }
  const fill = colours[mark.code]
  const [wide, top, high] = [w - (w >= 6 ? 1 : 0), y + 1, h - 2]
  const box = (style, from, height) => { pen.fillStyle = style; pen.fillRect(x, from, wide, height) }
  // Not judged, not there: a line through the middle.
  if (mark.hollow) { box(fill, top + high / 2 - 1, 2); return }
  if (mark.size < 1) { box(colours.pale, top, high) }
  const height = Math.max(2, Math.round(high * mark.size))
  box(fill, top + high - height, height)
  if (mark.glyph && w >= GLYPHS && mark.size >= 0.7) {
    Object.assign(pen, { fillStyle: colours.ink, font: "bold 10px sans-serif", textAlign: "center", textBaseline: "middle" })
    pen.fillText(mark.glyph, x + wide / 2, top + high - height / 2 + 0.5)
  }
}

// A canvas of so many pixels of the page, and what draws on it.
export function sized(canvas, width, height, ratio = SHARP) {
  Object.assign(canvas, { width: width * ratio, height: height * ratio })
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const pen = canvas.getContext("2d")
  pen.scale(ratio, ratio)
  return pen
}

export function legendKey(mark, colours) {
  const swatch = make("canvas", { "aria-hidden": "true", cls: mark.size ? "" : "blank" })
  paintCell(sized(swatch, 14, 16), mark, colours, [0, 0, 14, 16])
  return make("span", { cls: "key" }, [swatch, mark.word])
}

// The grid with its names and dates. `ticks` are pairs of a text and its distance from the grid's left.
export function picture({ canvas, ink, names, paper, rows, tall, ticks }) {
  const [width, height] = ["width", "height"].map((side) => canvas[side] / devicePixelRatio)
  const whole = make("canvas")
  const pen = sized(whole, names + width, 24 + tall * rows.length)
  pen.fillStyle = paper
  pen.fillRect(0, 0, whole.width, whole.height)
  Object.assign(pen, { fillStyle: ink, font: "11px sans-serif" })
  for (const [text, left] of ticks) { pen.fillText(text, names + left + 4, 15) }
  rows.forEach((row, at) => pen.fillText(`${row.label}  ${row.note || ""}`.slice(0, 40), 8, 24 + at * tall + tall / 2 + 4, names - 16))
  pen.drawImage(canvas, names, 24, width, height)
  return whole
}
