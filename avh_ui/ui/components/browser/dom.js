// What the scripts of the components share. Text is only ever set as text: values of the data and what people say cannot become markup.

// The text, which may be broken where a name's words part: `sched_` `arr_` `time`, and not `sched_arr_ti` `me`. Numbers stay whole.
const BETWEEN = /(?<=_)(?=[^_])|(?<=\p{L}[./])(?=\p{L})/u
const parted = (text) => text.split(BETWEEN).flatMap((part, at) => at ? [document.createElement("wbr"), part] : [part])

export function make(name, { text, cls, title, parts, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (parts != null) { node.append(...parted(parts)) }
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

// These nodes and no others, in this order. Those that were there before stay untouched: taken out and put back, a node loses the focus, and a
// click that began on it.
export function place(box, nodes) {
  const wanted = new Set(nodes)
  for (const old of box.querySelectorAll(":scope > *")) { if (!wanted.has(old)) { old.remove() } }
  nodes.forEach((node, at) => { if (box.children[at] !== node) { box.insertBefore(node, box.children[at] ?? null) } })
}

function become(old, piece) {
  if (!old) { return piece }
  for (const name of old.getAttributeNames()) { if (!piece.hasAttribute(name)) { old.removeAttribute(name) } }
  for (const { name, value } of piece.attributes) { old.setAttribute(name, value) }
  if (old.innerHTML !== piece.innerHTML) { old.replaceChildren(...piece.childNodes) }
  return old
}

// New content for a box. A piece with the same `data-` mark as one of before stays the node that it was, with its listeners: the server's
// answer may come while it is being clicked. Where the mark is further inside, it gets the focus back.
export function refill(box, pieces, mark) {
  const focused = box.getRootNode().activeElement?.dataset[mark]
  const known = new Map([...box.children].map((old) => [old.dataset[mark], old]))
  known.delete(undefined)
  place(box, pieces.map((piece) => {
    const old = known.get(piece.dataset[mark])
    known.delete(piece.dataset[mark]) // two of one mark are two nodes
    return become(old, piece)
  }))
  if (focused != null) { [...box.querySelectorAll(`[data-${mark}]`)].find((piece) => piece.dataset[mark] === focused)?.focus() }
}

// Into a field, so that what is typed takes the place of all its text. Selected before it has the focus, and not by `select`: in Chromium that
// gives the focus, too, a second time where a key that waited has left the field meanwhile.
export function enter(field) {
  field.setSelectionRange(0, field.value.length)
  field.focus()
}

export const written = (number) => number.toLocaleString("en")

export function save(name, ...content) {
  const blob = content[0] instanceof Blob ? content[0] : new Blob(content, { type: "text/csv" })
  const link = make("a", { download: name, href: URL.createObjectURL(blob) })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

// Whether a key moved what is looked at, and no page was turned to since: only then may the page scroll after it. A narrow one began in its middle.
let walking = false
window.addEventListener("avh-key", ({ detail }) => { walking = !detail.command.startsWith("tab-") })
window.addEventListener("pointerdown", () => { walking = false }, true)

// By how much what lies from `low` to `high` is beyond the room from `start` to `end`.
const beyond = (low, high, start, end) => Math.min(low - start, 0) || Math.max(Math.min(high - end, low - start), 0)

// Scrolls a node of a box into sight with the next frame, which lays out anyway: at once, all of a page that is still being built would be laid out.
export function reveal(node, box) {
  requestAnimationFrame(() => {
    if (walking) { node.scrollIntoView({ block: "nearest", inline: "nearest" }); return }
    const [one, all] = [node, box].map((piece) => piece.getBoundingClientRect())
    const { scrollPaddingLeft, scrollPaddingTop } = getComputedStyle(box)
    box.scrollTop += beyond(one.top, one.bottom, all.top + (parseFloat(scrollPaddingTop) || 0), all.bottom)
    box.scrollLeft += beyond(one.left, one.right, all.left + (parseFloat(scrollPaddingLeft) || 0), all.right)
  })
}

// Draw once all that came in one message stands: a property that was set twice comes in the place of its first change, before what came with it.
export function drawTogether(model, names, draw) {
  let soon = false
  model.on(names, () => {
    if (soon) { return }
    soon = true
    queueMicrotask(() => { soon = false; draw() })
  })
}
