// Native lists: quick to draw, and every screen reader and keyboard knows them.
import { button, make, refill, written } from "./dom.js"

const option = (choice, at) =>
  make("option", { value: choice.value, text: choice.count == null || at === 0 ? choice.label : `${choice.label} (${written(choice.count)})` })

function list(field, choose) {
  // The label's own text would be that of all choices, too.
  const made = make("select", { name: field.name, "data-name": field.name, "aria-label": field.label }, field.choices.map(option))
  made.addEventListener("change", () => {
    choose({ name: field.name, value: made.value })
    made.blur()  // back to the keys of the page
  })
  return make("label", {}, [make("span", { text: field.label }), made])
}

export function render({ model, el }) {
  const bar = make("div", { cls: "bar", role: "group", "aria-label": model.label })
  // On a telephone what is chosen stands alone, and the others are a touch away: they took the place of the list.
  const more = button({ cls: "more", text: "Filter and sort", "aria-expanded": "false" }, () => {
    more.setAttribute("aria-expanded", String(bar.classList.toggle("open")))
  })
  el.append(bar, more)
  let drawn = ""

  const fill = () => {
    // The lists are long and rarely change; what is chosen changes often.
    const content = JSON.stringify(model.fields.map((field) => [field.name, field.choices]))
    if (content !== drawn) {
      drawn = content
      refill(bar, model.fields.map((field) => list(field, (chosen) => model.send_msg(chosen))), "name")
    }
    model.fields.forEach((field, at) => {
      const label = bar.children[at]
      label.lastChild.value = field.value
      label.lastChild.title = field.choices.find((choice) => choice.value === field.value)?.label ?? ""
      label.classList.toggle("on", field.value !== field.choices[0]?.value)
    })
  }
  model.on("fields", fill)
  fill()
}
