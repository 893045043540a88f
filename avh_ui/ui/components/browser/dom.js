// What the scripts of the components share. Text is only ever set as text: values of the data and what people say cannot become markup.

export function make(name, { text, cls, title, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (cls) { node.className = cls }
  if (title) { node.title = title }
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

export function button(attributes, press, children) {
  const node = make("button", { type: "button", ...attributes }, children)
  if (press) { node.addEventListener("click", press) }
  return node
}

export function shape(name, attributes, children = []) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

// The path of a small line chart: `x` and `y` give the pixels of a place and of a value; where a value is null, the line has a gap.
export const trace = (values, x, y) =>
  values.map((value, at) => value == null ? "" : `${at && values[at - 1] != null ? "L" : "M"}${x(at)} ${y(value)}`).join("")

// New content for a box: a piece with the same `data-` mark gets the focus back.
export function refill(box, pieces, mark) {
  const focused = box.getRootNode().activeElement?.dataset[mark]
  box.replaceChildren(...pieces)
  if (focused != null) { [...box.querySelectorAll(`[data-${mark}]`)].find((piece) => piece.dataset[mark] === focused)?.focus() }
}

export const written = (number) => number.toLocaleString("en")

export function save(name, ...content) {
  const blob = content[0] instanceof Blob ? content[0] : new Blob(content, { type: "text/csv" })
  const link = make("a", { download: name, href: URL.createObjectURL(blob) })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
