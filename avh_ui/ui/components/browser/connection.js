import { button, make } from "./dom.js"

// Milliseconds between two questions whether the server is back: a file of its own, for which it makes no session.
const ASKED = 2000
const PROBE = "static/js/bokeh.min.js"
// Panel's note of it, which is not shown (`page.html`): where it is there already, this comes too late to hear of it.
const NOTE = "[id^=reconnect-notification]"

const pressable = (node) => node.tagName === "BUTTON" || node.getAttribute?.("role") === "button" || /^(checkbox|radio|range)$/.test(node.type || "")
const holdsText = (node) => node.tagName === "TEXTAREA" || (node.tagName === "INPUT" && !pressable(node))

class Connection {
  constructor(el) {
    this.el = el
    this.since = null
    this.text = ""
    this.typed = new Map()
    this.listened = new AbortController()
    const heard = { capture: true, signal: this.listened.signal }
    window.addEventListener("input", (event) => this.keep(event.composedPath()[0]), heard)
    window.addEventListener("click", (event) => { if (event.composedPath().some(pressable)) { this.refuse(event) } }, heard)
    // Keys ask before they are sent.
    window.addEventListener("avh-key-pressed", (event) => this.refuse(event), heard)
    if (document.querySelector(NOTE)) { this.lost() }
  }

  keep(field) {
    if (holdsText(field)) { this.typed.set(field, field.value) }
  }

  // Nothing of it would reach the server; this banner's own button needs none.
  refuse(event) {
    if (!this.since || event.composedPath().includes(this.el)) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    this.show("That was not taken.")
  }

  lost() {
    if (this.since || this.listened.signal.aborted) { return }
    this.since = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    this.text = `The server cannot be reached since ${this.since}. What you see is from then; nothing is kept until it is back.`
    this.show()
    this.ask()
  }

  async ask() {
    const there = await fetch(PROBE, { method: "HEAD", cache: "no-store" }).then((answer) => answer.ok, () => false)
    if (this.listened.signal.aborted) { return }
    if (!there) { setTimeout(() => this.ask(), ASKED) } else if (this.unsaved()) { this.wait() } else { window.location.reload() }
  }

  // Whether a field still holds what was typed there: saved, it shows something else.
  unsaved() {
    return [...this.typed].some(([field, value]) => field.isConnected && value.trim() !== "" && field.value === value)
  }

  wait() {
    this.text = "The server is back. What you typed may not be kept yet: copy it, then read the page anew."
    this.anew = button({}, () => window.location.reload(), ["Read anew"])
    this.show()
  }

  show(more = "") {
    const said = make("span", { text: `⚠ ${this.text} ${more}`.trim() })
    this.el.replaceChildren(make("div", { cls: "lost", role: "alert" }, this.anew ? [said, this.anew] : [said]))
  }
}

export function render({ model, el, view }) {
  const connection = new Connection(el)
  view.model.document.on_event("connection_lost", () => connection.lost())
  model.on("remove", () => connection.listened.abort())
}
