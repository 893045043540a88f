import { button, make, refill } from "./dom.js"

function piece(step, place, next, go) {
  const mark = make("span", { cls: "mark", text: step.done ? "✔" : String(place + 1), "aria-hidden": "true" })
  const parts = [mark, make("span", { text: step.label }), make("span", { cls: "note", text: step.note })]
  const about = { "data-page": step.page, cls: step.done ? "done" : next ? "next" : "" }
  if (step.done) { about["aria-label"] = `${step.label}: done` }
  const press = button(about, () => go(step.page), parts)
  if (next) { press.setAttribute("aria-current", "step") }
  return make("li", { "data-page": `step ${step.page}` }, [press])
}

const keep = (name, value) => { document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax` }

export function render({ model, el }) {
  const list = make("ol")
  const away = button({ cls: "away", title: "Do not show these steps any more", "aria-label": "Dismiss the first steps", text: "✕" }, () => {
    keep("avh_steps", "off")
    model.send_msg("")
  })
  el.append(make("section", { "aria-label": "First steps" }, [make("b", { text: "First steps" }), list, away]))
  const fill = () => {
    const next = model.steps.findIndex((step) => !step.done)
    refill(list, model.steps.map((step, at) => piece(step, at, at === next, (page) => model.send_msg(page))), "page")
  }
  model.on("steps", fill)
  model.on("tried", () => keep("avh_tried", "on"))
  fill()
}
