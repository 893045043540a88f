import { button, make } from "./dom.js"

// Milliseconds between two questions whether the server is back: a file of its own, for which it makes no session.
const ASKED = 2000
const PROBE = "static/js/bokeh.min.js"
// Panel's note of it, which is not shown (`page.html`): where it is there already, this comes too late to hear of it.
const NOTE = "[id^=reconnect-notification]"

// Said by the session of a page that could not take what its server told it.
const MISSED = "avh-change-missed"

// A change that a page cannot take costs it all that came with it, and what it shows is no longer so: it has to say that.
function tellOfMissed() {
  const session = Bokeh.require("client/session").ClientSession?.prototype
  const { _handle_patch: taken } = session ?? {}
  if (!taken || taken.told) { return }  // this is Bokeh's own: a release without it tells as little as Bokeh does
  session._handle_patch = function handlePatch(message) {
    try {
      taken.call(this, message)
    } catch (error) {
      window.dispatchEvent(new Event(MISSED))
      throw error
    }
  }
  session._handle_patch.told = true
}

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
    window.addEventListener(MISSED, () => this.missed(), heard)
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

  // The server is there and keeps what was done: it is this page that cannot show it.
  missed() {
    if (this.since || this.listened.signal.aborted) { return }
    this.since = new Date()
    this.wait("This page missed a change, so that what you see may be no longer so. What you did is kept: read the page anew.")
  }

  async ask() {
    const there = await fetch(PROBE, { method: "HEAD", cache: "no-store" }).then((answer) => answer.ok, () => false)
    if (this.listened.signal.aborted) { return }
    if (!there) { setTimeout(() => this.ask(), ASKED) } else if (this.unsaved()) { this.wait("The server is back. What you typed may not be kept yet: copy it, then read the page anew.") } else { window.location.reload() }
  }

  // Whether a field still holds what was typed there: saved, it shows something else.
  unsaved() {
    return [...this.typed].some(([field, value]) => field.isConnected && value.trim() !== "" && field.value === value)
  }

  wait(text) {
    this.text = text
    this.anew = button({}, () => window.location.reload(), ["Read anew"])
    this.show()
  }

  show(more = "") {
    const said = make("span", { text: `⚠ ${this.text} ${more}`.trim() })
    this.el.replaceChildren(make("div", { cls: "lost", role: "alert" }, this.anew ? [said, this.anew] : [said]))
  }
}

export function render({ model, el, view }) {
  tellOfMissed()
  const connection = new Connection(el)
  view.model.document.on_event("connection_lost", () => connection.lost())
  model.on("remove", () => connection.listened.abort())
}
