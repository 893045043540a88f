function save(name, blob) {
  const link = document.createElement("a")
  link.download = name
  link.href = URL.createObjectURL(blob)
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

// The figure's own picture, as its toolbar saves it; those not drawn now have none.
function savePictures(pictures) {
  for (const { id, name } of pictures) {
    Bokeh.index.find_one_by_id(id)?.export().canvas.toBlob((blob) => save(name, blob))
  }
}

export function render({ model, el }) {
  const bar = document.createElement("div")
  bar.className = "bar"
  bar.setAttribute("role", "group")
  el.append(bar)
  const made = new Map()

  const button = (name) => {
    const node = document.createElement("button")
    node.type = "button"
    node.addEventListener("click", () => {
      const { pictures } = model.actions.find((one) => one.name === name)
      if (pictures) { savePictures(pictures) } else { model.send_msg(name) }
    })
    made.set(name, node)
    return node
  }
  // A button is kept as long as it is there: the one that has the focus keeps it.
  const draw = (one) => {
    const node = made.get(one.name) ?? button(one.name)
    const look = `${one.tone ? `tone-${one.tone}` : ""} ${one.filled ? "filled" : one.outlined ? "outlined" : ""}`.trim()
    if (node.className !== look) { node.className = look }
    node.disabled = Boolean(one.disabled)
    node.title = one.title || ""
    if (node.dataset.label !== one.label) {
      node.dataset.label = one.label
      node.replaceChildren()
      if (one.icon) {
        const icon = document.createElement("span")
        icon.setAttribute("aria-hidden", "true")
        icon.innerHTML = one.icon  // of ours: icons.py
        node.append(icon)
      }
      if (one.label) { node.append(one.label) } else { node.setAttribute("aria-label", one.title) }
      node.toggleAttribute("data-alone", !one.label)
    }
    return node
  }
  const fill = () => {
    bar.setAttribute("aria-label", model.label)
    const wanted = model.actions.map(draw)
    const now = [...bar.children]
    if (wanted.length !== now.length || wanted.some((node, at) => node !== now[at])) {
      const focused = el.getRootNode().activeElement
      bar.replaceChildren(...wanted)
      if (wanted.includes(focused)) { focused.focus() }
    }
  }
  model.on(["actions", "label"], fill)
  model.on("msg:custom", (event) => {
    const file = event.data ?? event
    save(file.save, new Blob([file.text], { type: "text/csv" }))
  })
  fill()
}
