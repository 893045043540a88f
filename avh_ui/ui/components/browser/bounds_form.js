import { drawTogether, enter, make } from "./dom.js"

class Bounds {
  constructor(model) {
    this.model = model
    this.fields = { lower: this.field("lower"), upper: this.field("upper") }
    this.labels = {}
    const pairs = ["lower", "upper"].map((side) => make("label", {}, [this.labels[side] = make("span"), this.fields[side]]))
    this.node = make("div", { cls: "bounds", role: "group", "aria-label": `${model.named[0].toUpperCase()}${model.named.slice(1)}s` }, pairs)
  }

  field(side) {
    const about = { placeholder: "open", autocomplete: "off", spellcheck: "false", inputmode: "decimal" }
    const input = make("input", { type: "text", ...about, "data-side": side })
    input.addEventListener("change", () => { if (this.typed) { this.say() } })
    input.addEventListener("focus", () => { this.typed = false })
    // What is typed is tried after a pause: "Save edit" is there before the field is left, and the chart says what the bounds would do.
    input.addEventListener("input", () => {
      this.typed = true
      clearTimeout(this.pause)
      this.pause = setTimeout(() => this.tell(), 300)
    })
    // Enter leaves the field: the next key decides, and is not written behind the number.
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { this.say(); input.blur() } })
    return input
  }

  // The item that the fields show, which is not always the one that the server is at.
  say() {
    this.typed = false
    this.tell()
  }

  tell() {
    clearTimeout(this.pause)
    this.model.send_msg({ item: this.item, lower: this.fields.lower.value, upper: this.fields.upper.value })
  }

  fill() {
    const { item, lower, upper, unit, named } = this.model
    const here = Object.values(this.fields).find((field) => field === field.getRootNode().activeElement)
    // What is being typed of this item stays; what was read anew meanwhile is shown when the field is left.
    const writing = here && this.typed && item === this.item
    if (item !== this.item) { clearTimeout(this.pause) }
    this.item = item
    for (const [side, text] of [["lower", lower], ["upper", upper]]) {
      const field = this.fields[side]
      if (!(writing && field === here) && field.value !== text) { field.value = text }
    }
    // Another text lets go of the selection: the first digit would be written behind it, and not in its place.
    if (here && !writing) { this.typed = false; here.select() }
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
  model.on("remove", () => listened.abort())
  bounds.fill()
}
