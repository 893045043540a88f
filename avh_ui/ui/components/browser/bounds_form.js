import { make } from "./dom.js"

class Bounds {
  constructor(model) {
    this.model = model
    this.fields = { lower: this.field("lower"), upper: this.field("upper") }
    this.labels = {}
    const pairs = ["lower", "upper"].map((side) => make("label", {}, [this.labels[side] = make("span"), this.fields[side]]))
    this.node = make("div", { cls: "bounds", role: "group", "aria-label": "Bounds" }, pairs)
  }

  field(side) {
    const about = { placeholder: "open", autocomplete: "off", spellcheck: "false", inputmode: "decimal" }
    const input = make("input", { type: "text", ...about, "data-side": side })
    input.addEventListener("change", () => this.say())
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { this.say() } })
    return input
  }

  // The item that the fields show, which is not always the one that the server is at.
  say() { this.model.send_msg({ item: this.item, lower: this.fields.lower.value, upper: this.fields.upper.value }) }

  fill() {
    const { item, lower, upper, unit } = this.model
    this.item = item
    this.fields.lower.value = lower
    this.fields.upper.value = upper
    this.labels.lower.textContent = `Lower bound (${unit})`
    this.labels.upper.textContent = `Upper bound (${unit})`
  }

  focus(side) {
    const field = this.fields[side]
    field.select()
    field.focus()
  }
}

export function render({ model, el }) {
  const bounds = new Bounds(model)
  el.append(bounds.node)
  model.on("filled", () => bounds.fill())
  model.on("msg:custom", (event) => bounds.focus((event.data ?? event).focus))
  bounds.fill()
}
