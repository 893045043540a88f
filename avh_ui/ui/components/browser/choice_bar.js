import { button, make, refill, written } from "./dom.js"

function piece(choice, press) {
  const parts = [make("span", { cls: "label", text: choice.label })]
  if (choice.glyph) { parts.unshift(make("span", { cls: `glyph status-${choice.value}`, text: choice.glyph, "aria-hidden": "true" })) }
  if (choice.count != null) { parts.push(make("span", { cls: "count", text: written(choice.count) })) }
  return button({ "data-value": choice.value, title: choice.title }, press, parts)
}

export function render({ model, el }) {
  const tabs = model.kind === "tabs"
  const bar = make(tabs ? "nav" : "div", { cls: model.kind, ...(tabs ? {} : { role: "group" }), "aria-label": model.label })
  el.append(bar)

  const mark = () => {
    for (const choice of bar.children) {
      const here = choice.dataset.value === model.value
      if (!tabs) { choice.setAttribute("aria-pressed", String(here)) }
      else if (here) { choice.setAttribute("aria-current", "page") }
      else { choice.removeAttribute("aria-current") }
    }
  }
  const fill = () => {
    refill(bar, model.choices.map((choice) => piece(choice, () => model.send_msg(choice.value))), "value")
    mark()
  }
  model.on("choices", fill)
  model.on("value", mark)
  fill()
}
