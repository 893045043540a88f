import { button, make, save } from "./dom.js"

function sheet(width, height, ground) {
  const canvas = make("canvas", { width, height })
  const pen = canvas.getContext("2d")
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  return [canvas, pen]
}

// The figures' own pictures as their toolbars save them, on their own ground: the dark theme's letters cannot be read on white.
function saveFigures(pictures) {
  const views = pictures.map(({ id }) => Bokeh.index.find_one_by_id(id)).filter(Boolean)  // those not drawn now have none
  if (!views.length) { return }
  const drawn = views.map((view) => view.export().canvas)
  const [width, height] = [drawn.reduce((sum, one) => sum + one.width, 0), Math.max(...drawn.map((one) => one.height))]
  const [canvas, pen] = sheet(width, height, views[0].model.background_fill_color ?? "#ffffff")
  drawn.reduce((left, one) => { pen.drawImage(one, left, 0); return left + one.width }, 0)
  canvas.toBlob((blob) => save(`${pictures.map(({ name }) => name).join("-")}.png`, blob))
}

// What XML has no place for: control characters and lone surrogates.
const NO_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

// A pane's HTML with its stylesheet, as an SVG image.
function savePane({ pane, css }) {
  const models = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  const drawn = Bokeh.index.find_one(models.find((model) => model.css_classes?.includes(pane)))?.container
  if (!drawn?.offsetWidth) { return }
  const look = getComputedStyle(drawn)
  const [width, height] = [drawn.offsetWidth + 32, drawn.offsetHeight + 32]
  const text = new XMLSerializer().serializeToString(drawn).replace(NO_XML, "\ufffd")
  const style = `color-scheme: ${look.colorScheme}; font-family: ${look.fontFamily.replaceAll('"', "'")}`
  const page = `<div xmlns="http://www.w3.org/1999/xhtml" class="ground">${text}</div>`
  const image = new Image()
  image.addEventListener("load", () => {
    const [canvas, pen] = sheet(2 * width, 2 * height, "#ffffff")
    pen.drawImage(image, 0, 0, 2 * width, 2 * height)
    canvas.toBlob((blob) => save(`${pane}.png`, blob))
  })
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" style="${style}">` +
    `<style><![CDATA[${css}]]></style><foreignObject width="100%" height="100%">${page}</foreignObject></svg>`)}`
}

function press(model, name) {
  const { pictures } = model.actions.find((one) => one.name === name)
  if (pictures?.[0].pane) { savePane(pictures[0]) } else if (pictures) { saveFigures(pictures) } else { model.send_msg(name) }
}

function dress(node, one) {
  const look = `${one.tone ? `tone-${one.tone}` : ""} ${one.filled ? "filled" : one.outlined ? "outlined" : ""}`.trim()
  if (node.className !== look) { node.className = look }
  node.toggleAttribute("data-long", Boolean(one.long))
  node.disabled = Boolean(one.disabled)
  node.title = one.title || ""
  if (node.dataset.label === one.label) { return }
  node.dataset.label = one.label
  node.replaceChildren()
  if (one.icon) {
    const icon = make("span", { "aria-hidden": "true" })
    icon.innerHTML = one.icon  // of ours: icons.py
    node.append(icon)
  }
  if (one.label) { node.append(one.label) } else { node.setAttribute("aria-label", one.title) }
  node.toggleAttribute("data-alone", !one.label)
}

const focused = (root = document) => (root.activeElement?.shadowRoot ? focused(root.activeElement.shadowRoot) : root.activeElement)

// The bar takes the focus as often as it is asked to, once it is seen; hidden again, it leaves it where it was.
function summoned(model, bar) {
  let [taken, before] = [0, null]
  const watcher = new ResizeObserver(() => look())
  const forget = () => { if (before) { watcher.unobserve(before) } before = null }
  const look = () => {
    const now = focused()
    if (bar.offsetWidth && model.summons > taken) {
      forget()
      ;[taken, before] = [model.summons, now]
      watcher.observe(before) // on a telephone it is hidden meanwhile, and shown again after the bar is hidden
      bar.tabIndex = -1
      bar.focus({ preventScroll: true })
    } else if (!bar.offsetWidth && before?.offsetWidth) {
      // What was hidden with the focus has it still, until the page is drawn.
      if (now === document.body || !now.getClientRects().length) { before.focus({ preventScroll: true }) }
      forget()
    }
  }
  model.on("summons", look)
  watcher.observe(bar)
  model.on("remove", () => watcher.disconnect())
}

export function render({ model, el }) {
  const bar = make("div", { cls: "bar" })
  el.append(bar)
  const made = new Map()

  // A button is kept as long as it is there: the one that has the focus keeps it.
  const draw = (one) => {
    if (!made.has(one.name)) { made.set(one.name, button({}, () => press(model, one.name))) }
    dress(made.get(one.name), one)
    return made.get(one.name)
  }
  const fill = () => {
    // A group without a name is read out as one more level, and says nothing.
    for (const [name, value] of [["role", "group"], ["aria-label", model.label]]) {
      if (model.label) { bar.setAttribute(name, value) } else { bar.removeAttribute(name) }
    }
    const [wanted, now] = [model.actions.map(draw), [...bar.children]]
    if (wanted.length !== now.length || wanted.some((node, at) => node !== now[at])) {
      const kept = focused()
      bar.replaceChildren(...wanted)
      if (wanted.includes(kept)) { kept.focus() }
    }
  }
  model.on(["actions", "label"], fill)
  model.on("msg:custom", (event) => {
    const file = event.data ?? event
    save(file.save, file.text)
  })
  fill()
  summoned(model, bar)
}
