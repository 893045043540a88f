// Text is only ever set as text: values of the data cannot become markup.
function piece(cls, text, hidden) {
  const span = document.createElement("span")
  span.className = cls
  span.textContent = text ?? ""
  if (hidden) { span.setAttribute("aria-hidden", "true") }
  return span
}

export function render({ model, el }) {
  const list = document.createElement("div")
  list.className = "list"
  list.setAttribute("role", "group")
  el.append(list)
  const mark = (follow) => {
    for (const button of list.querySelectorAll("button")) {
      const here = button.dataset.value === model.value
      button.setAttribute("aria-current", String(here))
      if (here && follow) { button.scrollIntoView({ block: "nearest" }) }
    }
  }
  const fill = () => {
    list.setAttribute("aria-label", model.label)
    const focused = el.getRootNode().activeElement?.dataset?.value
    list.replaceChildren(...model.lines.map((line) => {
      const button = document.createElement("button")
      button.type = "button"
      button.dataset.value = line.value
      if (line.title) { button.title = line.title }
      button.append(piece(`glyph ${line.tone || ""}`, line.glyph, true), piece("label", line.label), piece("tag", line.tag), piece("note", line.note))
      button.addEventListener("click", () => model.send_msg(line.value))
      return button
    }))
    if (!model.lines.length) { list.append(piece("none", model.empty)) }
    mark(false)
    for (const button of list.children) { if (focused != null && button.dataset?.value === focused) { button.focus() } }
  }
  model.on(["lines", "empty"], fill)
  model.on("value", () => mark(true))
  fill()
}
