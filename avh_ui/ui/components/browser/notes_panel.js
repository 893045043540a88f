import { button, enter, make, written } from "./dom.js"

const comment = ({ by, at, text }) => make("li", {}, [make("b", { text: by }), make("time", { text: at, cls: "quiet" }), make("p", { text })])

class Notes {
  constructor(model) {
    this.model = model
    this.waiting = false
    this.list = make("ol", { cls: "said", "aria-label": "Comments" })
    this.known = make("datalist", { id: "people" })
    const about = { placeholder: "assign to  ( w )", "aria-label": "Assigned to", autocomplete: "off", spellcheck: "false" }
    this.person = make("input", { type: "text", list: "people", ...about })
    this.text = make("textarea", { rows: "1", "aria-label": "Comment", maxlength: "4000" })
    this.send = button({ text: "Comment" }, () => this.say())
    const form = make("div", { cls: "form" }, [this.text, this.send, make("label", { cls: "whose" }, [this.person, this.known])])
    this.node = make("section", { cls: "notes", "aria-label": "Comments and assignment" }, [this.list, form])
    this.listen()
  }

  listen() {
    const { person, text } = this
    text.addEventListener("input", () => this.size())
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.say() }
    })
    person.addEventListener("change", () => this.assign())
    person.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { person.blur() }
      if (event.key === "Escape") { person.value = this.model.assignee }
    })
    person.addEventListener("blur", () => this.mark())
  }

  fill() {
    const { comments } = this.model
    this.list.hidden = !comments.length
    this.list.replaceChildren(...comments.map(comment))
    // Asked of an empty list, its height lays out the page that is being built.
    if (comments.length) { this.list.scrollTop = this.list.scrollHeight }
  }

  mark() {
    const { assignee, refusal, targets } = this.model
    // The name that was typed stays until the server has said whose it is.
    if (!this.waiting && this.person.getRootNode().activeElement !== this.person) { this.person.value = assignee }
    this.text.placeholder = targets > 1 ? `Comment on ${written(targets)} suggestions  ( c )` : "Comment  ( c )"
    this.text.disabled = this.person.disabled = !targets || Boolean(refusal)
    this.text.title = this.person.title = this.send.title = refusal
    this.size()
  }

  size() {
    const { refusal, targets } = this.model
    this.send.disabled = !this.text.value.trim() || !targets || Boolean(refusal)
    if (this.text.value) { this.fit(); return }
    this.text.style.height = "30px"
    // What is asked before a page is drawn lays it out once more, some 20 ms of a large one: a long placeholder waits until then.
    if (targets > 1) { requestAnimationFrame(() => setTimeout(() => this.fit())) }
  }

  // As high as its text, or what stands in its place.
  fit() {
    this.text.style.height = "auto"
    this.text.style.height = `${Math.max(30, Math.min(this.text.scrollHeight + 2, 120))}px`
  }

  names() { this.known.replaceChildren(...this.model.people.map((name) => make("option", { value: name }))) }

  say() {
    this.said = this.text.value
    if (this.said.trim()) { this.model.send_msg({ do: "comment", text: this.said }) }
  }

  assign() {
    const text = this.person.value.trim()
    this.waiting = text !== this.model.assignee
    if (this.waiting) { this.model.send_msg({ do: "assign", text }) }
  }

  answered() {
    this.waiting = false
    this.mark()
  }

  // What was typed since is the next comment.
  sent() {
    if (this.text.value !== this.said) { return }
    this.text.value = ""
    this.text.blur()
    this.size()
  }

  focus(field) {
    if (field === this.person) { enter(field) } else { field.focus() }
  }
}

export function render({ model, el }) {
  const notes = new Notes(model)
  el.append(notes.node)
  model.on("comments", () => notes.fill())
  model.on(["assignee", "targets"], () => notes.mark())
  model.on("people", () => notes.names())
  model.on("sent", () => notes.sent())
  model.on("answered", () => notes.answered())
  model.on("msg:custom", (event) => notes.focus((event.data ?? event).focus === "assign" ? notes.person : notes.text))
  notes.fill()
  notes.names()
  notes.mark()
}
