export function render({ model, el }) {
  const tabs = model.kind === "tabs"
  const bar = document.createElement(tabs ? "nav" : "div")
  bar.className = model.kind
  if (!tabs) { bar.setAttribute("role", "group") }
  bar.setAttribute("aria-label", model.label)
  el.append(bar)

  const piece = (text, cls, hidden) => {
    const span = document.createElement("span")
    span.textContent = text
    span.className = cls
    if (hidden) { span.setAttribute("aria-hidden", "true") }
    return span
  }
  const mark = () => {
    for (const button of bar.children) {
      const here = button.dataset.value === model.value
      if (tabs) {
        if (here) { button.setAttribute("aria-current", "page") } else { button.removeAttribute("aria-current") }
      } else {
        button.setAttribute("aria-pressed", String(here))
      }
    }
  }
  const fill = () => {
    const focused = el.getRootNode().activeElement?.dataset?.value
    bar.replaceChildren(...model.choices.map((choice) => {
      const button = document.createElement("button")
      button.type = "button"
      button.dataset.value = choice.value
      if (choice.title) { button.title = choice.title }
      if (choice.glyph) { button.append(piece(choice.glyph, `glyph status-${choice.value}`, true)) }
      button.append(piece(choice.label, "label"))
      if (choice.count != null) { button.append(piece(choice.count.toLocaleString("en"), "count")) }
      button.addEventListener("click", () => model.send_msg(choice.value))
      return button
    }))
    mark()
    for (const button of bar.children) { if (focused != null && button.dataset.value === focused) { button.focus() } }
  }
  model.on("choices", fill)
  model.on("value", mark)
  fill()
}
