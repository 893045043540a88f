// Text is only ever set as text: values of the data cannot become markup.
function piece(cls, text, hidden) {
  const span = document.createElement("span")
  span.className = cls
  span.textContent = text ?? ""
  if (hidden) { span.setAttribute("aria-hidden", "true") }
  return span
}

const SVG = "http://www.w3.org/2000/svg"
function spark({ name, y, last }) {
  const box = piece("spark", "")
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 120 22")
  svg.setAttribute("preserveAspectRatio", "none")
  svg.setAttribute("role", "img")
  svg.setAttribute("aria-label", `${name} of the last ${y.length} batches`)
  const path = document.createElementNS(SVG, "path")
  const along = (at) => (2 + (at * 116) / Math.max(y.length - 1, 1)).toFixed(1)
  path.setAttribute("d", y.map((v, at) => v == null ? "" : `${at && y[at - 1] != null ? "L" : "M"}${along(at)} ${(20 - v * 0.18).toFixed(1)}`).join(""))
  svg.append(path)
  box.append(svg, piece("amount", `${last} ${name}`))
  return box
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
  let first = true  // when it opens, what is looked at is in sight
  const fill = () => {
    list.setAttribute("aria-label", model.label)
    const focused = el.getRootNode().activeElement?.dataset?.value
    list.replaceChildren(...model.lines.map((line) => {
      const button = document.createElement("button")
      button.type = "button"
      button.dataset.value = line.value
      if (line.title) { button.title = line.title }
      button.append(piece(`glyph ${line.tone || ""}`, line.glyph, true), piece("label", line.label), piece("tag", line.tag), piece("note", line.note))
      if (line.sparks?.length) {
        const sparks = piece("sparks", "")
        sparks.append(...line.sparks.map(spark))
        button.append(sparks)
        button.classList.add("wide")
      }
      button.addEventListener("click", () => model.send_msg(line.value))
      return button
    }))
    if (!model.lines.length) { list.append(piece("none", model.empty)) }
    mark(first && model.lines.length > 0)
    first = first && !model.lines.length
    for (const button of list.children) { if (focused != null && button.dataset?.value === focused) { button.focus() } }
  }
  model.on(["lines", "empty"], fill)
  model.on("value", () => mark(true))
  fill()
}
