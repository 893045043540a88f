import { drawTogether, enter, make } from "./dom.js"

// As `rounded` of bounds_input.py: to a thousandth of the span.
function rounded(value, span) {
  const unit = 10 ** (3 - Math.floor(Math.log10(span)))
  return String(Number((Math.round(value * unit) / unit).toPrecision(12)))
}

class Bounds {
  constructor(model) {
    this.model = model
    this.fields = { lower: this.field("lower"), upper: this.field("upper") }
    this.labels = {}
    this.held = [] // where the edges of the box were dragged to
    const pairs = ["lower", "upper"].map((side) => make("label", {}, [this.labels[side] = make("span"), this.fields[side]]))
    this.node = make("div", { cls: "bounds", role: "group" }, pairs)
  }

  field(side) {
    const about = { placeholder: "open", title: "Enter saves, Escape drops what was typed", autocomplete: "off", spellcheck: "false", inputmode: "decimal" }
    const input = make("input", { type: "text", ...about, "data-side": side })
    input.addEventListener("change", () => { if (this.typed) { this.say() } })
    input.addEventListener("focus", () => { this.typed = false })
    // What is typed is tried after a pause: "Save edit" is there before the field is left, and the chart says what the bounds would do.
    input.addEventListener("input", () => {
      this.typed = true
      clearTimeout(this.pause)
      this.pause = setTimeout(() => this.tell(), 300)
    })
    // Enter saves, and leaves the field: the next key decides, and is not written behind the number.
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") { return }
      this.say({ entered: true })
      input.blur()
    })
    return input
  }

  // The item that the fields show, which is not always the one that the server is at.
  say(how) {
    this.typed = false
    this.tell(how)
  }

  tell(how) {
    clearTimeout(this.pause)
    this.model.send_msg({ item: this.item, lower: this.fields.lower.value, upper: this.fields.upper.value, ...how })
  }

  // An edge of the box is being dragged: `places` are where both are, null for one that was not moved.
  follow({ box, held, places }) {
    if (box !== this.model.follows || !this.item) { return }
    this.held = held
    const fields = Object.values(this.fields)
    const bounds = fields.map((field, at) => places[at] ?? (Number(field.value.replaceAll(",", "")) || 0))
    const open = fields.some((field, at) => places[at] === null && field.value.trim() === "")
    const crossed = !open && bounds[0] > bounds[1]
    if (crossed) { bounds.reverse() }
    const span = (open ? 0 : bounds[1] - bounds[0]) || Math.max(...bounds.map(Math.abs)) || 1
    fields.forEach((field, at) => { if (crossed || places[at] !== null) { field.value = rounded(bounds[at], span) } })
  }

  // Whether the server has still to hear of what was dragged: what it filled is older than what the fields show.
  behind() {
    return this.held.length > 0 && this.held.some((place, at) => place !== this.model.dragged[at])
  }

  fill() {
    const { item, lower, upper, unit, named, of } = this.model
    const here = Object.values(this.fields).find((field) => field === field.getRootNode().activeElement)
    // What is being typed of this item stays; what was read anew meanwhile is shown when the field is left.
    const writing = here && this.typed && item === this.item
    if (item !== this.item) { clearTimeout(this.pause); this.held = [] }
    this.item = item
    if (this.behind()) { return }
    for (const [side, text] of [["lower", lower], ["upper", upper]]) {
      const field = this.fields[side]
      if (!(writing && field === here) && field.value !== text) { field.value = text }
    }
    // Another text lets go of the selection: the first digit would be written behind it, and not in its place.
    if (here && !writing) { this.typed = false; here.select() }
    this.node.setAttribute("aria-label", `${named[0].toUpperCase()}${named.slice(1)}s${of && ` of ${of}`}`)
    this.labels.lower.textContent = `Lower ${named} (${unit})`
    this.labels.upper.textContent = `Upper ${named} (${unit})`
  }

  focus(side) {
    const field = this.fields[side]
    const here = field === field.getRootNode().activeElement
    if (!(here && this.typed)) { enter(field) }
  }
}

export function render({ model, el }) {
  const bounds = new Bounds(model)
  el.append(bounds.node)
  drawTogether(model, "filled", () => bounds.fill())
  model.on("msg:custom", (event) => bounds.focus((event.data ?? event).focus))
  // Which form a person has before them when a key is pressed: no other may be saved by it.
  const listened = new AbortController()
  const told = ({ detail }) => { if (bounds.node.offsetParent) { detail.form = bounds.item } }
  window.addEventListener("avh-key", told, { signal: listened.signal })
  window.addEventListener("avh-dragged", ({ detail }) => bounds.follow(detail), { signal: listened.signal })
  model.on("remove", () => listened.abort())
  bounds.fill()
}
