// Text is only ever set as text: what people and data say cannot become markup.
function make(name, { text, cls, ...attributes } = {}, children = []) {
  const node = document.createElement(name)
  if (text != null) { node.textContent = text }
  if (cls) { node.className = cls }
  for (const [key, value] of Object.entries(attributes)) { node.setAttribute(key, value) }
  node.append(...children)
  return node
}

export function render({ model, el }) {
  const list = make("ol", { cls: "said", "aria-label": "Comments" })
  const known = make("datalist", { id: "people" })
  const person = make("input", { type: "text", list: "people", placeholder: "assign to  ( w )", "aria-label": "Assigned to", autocomplete: "off", spellcheck: "false" })
  const whose = make("label", { cls: "whose" }, [person, known])
  const text = make("textarea", { rows: "1", "aria-label": "Comment", maxlength: "4000" })
  const send = make("button", { type: "button", text: "Comment" })
  const form = make("div", { cls: "form" }, [text, send, whose])
  el.append(make("section", { cls: "notes", "aria-label": "Comments and assignment" }, [list, form]))

  const fill = () => {
    list.hidden = !model.comments.length
    list.replaceChildren(...model.comments.map((one) => make("li", {}, [
      make("b", { text: one.by }), make("time", { text: one.at, cls: "quiet" }), make("p", { text: one.text }),
    ])))
    list.scrollTop = list.scrollHeight
  }
  const mark = () => {
    if (el.getRootNode().activeElement !== person) { person.value = model.assignee }
    const many = model.targets > 1
    text.placeholder = many ? `Comment on ${model.targets.toLocaleString("en")} suggestions  ( c )` : "Comment  ( c )"
    text.disabled = person.disabled = !model.targets || Boolean(model.refusal)
    text.title = person.title = send.title = model.refusal
    able()
  }
  const able = () => {
    send.disabled = !text.value.trim() || !model.targets || Boolean(model.refusal)
    // As high as its text; of a page that is not shown yet nothing is known.
    text.style.height = "auto"
    text.style.height = `${Math.max(30, Math.min(text.scrollHeight + 2, 120))}px`
  }
  const names = () => known.replaceChildren(...model.people.map((name) => make("option", { value: name })))
  const say = () => { if (text.value.trim()) { model.send_msg({ do: "comment", text: text.value }) } }
  const assign = () => {
    if (person.value.trim() !== model.assignee) { model.send_msg({ do: "assign", text: person.value.trim() }) }
  }
  text.addEventListener("input", able)
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); say() }
  })
  send.addEventListener("click", say)
  person.addEventListener("change", assign)
  person.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { person.blur() }
    if (event.key === "Escape") { person.value = model.assignee }
  })
  person.addEventListener("blur", () => setTimeout(mark, 300))
  model.on("comments", fill)
  model.on(["assignee", "targets"], mark)
  model.on("people", names)
  model.on("sent", () => { text.value = ""; text.blur(); able() })
  model.on("msg:custom", (event) => {
    const field = (event.data ?? event).focus === "assign" ? person : text
    // First: what was typed meanwhile is put in with the focus.
    if (field === person) { person.select() }
    field.focus()
  })
  fill()
  names()
  mark()
}
