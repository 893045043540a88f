// Text is only ever set as text: values of the data cannot become markup.
function make(name, { text, cls, title, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (cls) { node.className = cls }
  if (title) { node.title = title }
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

const samples = (found) => found.map(({ glyph, name, values }) => {
  const line = make("div", { cls: "legend wrap", text: `${glyph} ${name}: ` })
  for (const value of values) { line.append(make("code", { text: value }), " ") }
  return line
})

export function render({ model, el }) {
  const heading = make("h3", { text: "Alternatives, from the most specific to the most general" })
  const table = make("button", { type: "button", cls: "save", text: "Ladder CSV" })
  const top = make("div", { cls: "top" }, [heading, table])
  const list = make("ol", { "aria-label": "Alternative patterns" })
  const field = make("input", { type: "text", id: "regex", spellcheck: "false", autocomplete: "off" })
  const save = make("button", { type: "button", text: "Use this regex" })
  const form = make("div", { cls: "form" }, [make("label", { for: "regex", text: "Regex for whole values" }), field, save])
  const tried = make("div", { cls: "tried" })
  const frame = make("section", { cls: "section" }, [top, list, form, tried])
  el.append(frame)

  let sent = ""
  const type = () => {
    if (field.value !== sent) { sent = field.value; model.send_msg({ do: "type", regex: field.value }) }
  }
  field.addEventListener("change", type)
  table.addEventListener("click", () => {
    const link = make("a", { download: "ladder.csv", href: URL.createObjectURL(new Blob([model.shown.csv], { type: "text/csv" })) })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
  save.addEventListener("click", () => { type(); model.send_msg({ do: "save" }) })
  list.addEventListener("click", (event) => {
    const at = event.target.closest("button")?.dataset.at
    if (at != null) { model.send_msg({ do: "use", at: Number(at) }) }
  })

  const line = (rung, at) => {
    const words = make("div", { cls: "words" }, [
      make("div", { title: rung.title }, [make("b", { cls: "wrap", text: rung.text }), rung.mark]),
      make("div", { cls: "legend", text: rung.facts }),
      ...samples(rung.samples),
    ])
    const use = make("button", { type: "button", text: rung.used ? "In use" : "Use", "data-at": at, "aria-label": `${rung.used ? "In use" : "Use"}: ${rung.text}` })
    use.disabled = rung.used || Boolean(model.shown.refusal)
    use.title = model.shown.refusal || ""
    return make("li", {}, [words, use])
  }
  const fill = () => {
    const shown = model.shown
    frame.hidden = !shown.rungs
    if (!shown.rungs) { list.replaceChildren(); return }
    const focused = el.getRootNode().activeElement?.dataset?.at
    list.replaceChildren(...shown.rungs.map(line))
    if (focused != null) { list.querySelectorAll("button")[Number(focused)]?.focus() }
    if (field.value !== shown.typed) { field.value = shown.typed }
    sent = shown.typed
    save.disabled = !shown.ready || Boolean(shown.refusal)
    save.title = shown.refusal || ""
    if (shown.problem) {
      tried.replaceChildren(make("div", { cls: "verdict problem", role: "alert", text: `⚠ ${shown.problem}` }))
    } else if (shown.tried) {
      const words = make("div", { cls: "verdict", role: "status" }, [make("b", { text: shown.tried.facts }), shown.tried.where])
      tried.replaceChildren(words, ...samples(shown.tried.samples))
    } else {
      tried.replaceChildren()
    }
  }
  model.on("shown", fill)
  fill()
}
