// Native lists: quick to draw, and every screen reader and keyboard knows them. Text is only ever set as text.
export function render({ model, el }) {
  const bar = document.createElement("div")
  bar.className = "bar"
  bar.setAttribute("role", "group")
  bar.setAttribute("aria-label", "Filter, group and sort")
  el.append(bar)
  let drawn = ""

  const option = (choice, first) => {
    const made = document.createElement("option")
    made.value = choice.value
    made.textContent = choice.count == null || first ? choice.label : `${choice.label} (${choice.count.toLocaleString("en")})`
    return made
  }
  const fill = () => {
    // The lists are long and rarely change; what is chosen changes often.
    const content = JSON.stringify(model.fields.map((field) => [field.name, field.choices]))
    if (content !== drawn) {
      drawn = content
      const focused = el.getRootNode().activeElement?.name
      bar.replaceChildren(...model.fields.map((field) => {
        const label = document.createElement("label")
        const name = document.createElement("span")
        name.textContent = field.label
        const list = document.createElement("select")
        list.name = field.name
        list.setAttribute("aria-label", field.label) // the label's own text would be that of all choices, too
        list.append(...field.choices.map((choice, at) => option(choice, at === 0)))
        list.addEventListener("change", () => {
          model.send_msg({ name: field.name, value: list.value })
          list.blur() // back to the keys of the page
        })
        label.append(name, list)
        return label
      }))
      if (focused) { bar.querySelector(`select[name="${focused}"]`)?.focus() }
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
