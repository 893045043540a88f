import { skipHiddenPages } from "./hidden_pages.js"

// Listens in the capture phase of the window, before JupyterLab's own keys; composedPath sees through shadow roots.
const WRITES = /^(INPUT|TEXTAREA|SELECT)$/
const NO_TEXT = /^(checkbox|radio|button|range)$/

const typesIn = (node) => node.isContentEditable || (WRITES.test(node.tagName || "") && !NO_TEXT.test(node.type || ""))
const inOverlay = (path) => path.some((node) => node.getAttribute && /^(listbox|menu|dialog)$/.test(node.getAttribute("role") || ""))

// Enter and blank press the button that has the focus, and arrows move such a slider.
const moves = ({ key }, node) =>
  ((key === "Enter" || key === " ") && node.tagName === "BUTTON") || (node.type === "range" && key.startsWith("Arrow"))

// A field gets its focus from the server; what is typed until then belongs into it, and must not be taken for commands. A busy server has taken
// more than 3 seconds, and the first letters of a comment were lost. Escape ends it.
const PATIENCE = 15000

// From a line to a field of the same page the window hears of no focus: for it both are the one element that holds the page. From nothing
// to a field it does.
function leave() {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) { node = node.shadowRoot.activeElement }
  node?.blur()
}

const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }))

class Keys {
  constructor(model) {
    this.model = model
    this.active = !model.scope
    this.waiting = null
    this.sent = 0
  }

  // What was typed for the field that is about to get its focus.
  given() {
    if (this.waiting && performance.now() > this.waiting.until) { this.waiting = null }
    return this.waiting
  }

  focused(event) {
    const field = event.composedPath()[0]
    // A list has the focus: nothing is typed into it, and the next keys are its own.
    if (field.getAttribute("role") === "combobox" && !typesIn(field)) { this.waiting = null }
    if (!this.given() || !typesIn(field)) { return }
    const { text, submit, command, rest } = this.waiting
    this.waiting = null
    // A number is typed anew, not into the middle of the old one.
    if (text && command === "edit") { field.select?.() }
    // At once: the next key may be waiting already.
    if (text) { document.execCommand("insertText", false, text) }
    if (submit) { press(field, "Enter") }
    // Enter has left the field: what came behind it is for the app, `e 5 0 0 Enter a`.
    rest.forEach((key) => press(window, key))
  }

  pointed(event) {
    // Who turns to the mouse types into no field.
    this.waiting = null
    const { scope } = this.model
    if (scope) { this.active = event.composedPath().some((node) => node.classList?.contains(scope)) }
  }

  keep({ key }) {
    const { waiting } = this
    if (key === "Escape") { this.waiting = null }
    else if (waiting.submit) { waiting.rest.push(key) }
    else if (key === "Enter") { waiting.submit = true }
    else if (key === "Backspace") { waiting.text = waiting.text.slice(0, -1) }
    else if (key.length === 1) { waiting.text += key }
  }

  // Whether a key is meant for the app; Escape leaves the field that is written in.
  meant(event, path) {
    if (!this.active || event.isComposing || event.altKey) { return false }
    if (typesIn(path[0])) {
      if (event.key !== "Escape") { return false }
      path[0].blur()
    }
    return !inOverlay(path) && !moves(event, path[0])
  }

  pressed(event) {
    if (!this.meant(event, event.composedPath())) { return }
    const control = event.ctrlKey || event.metaKey
    const kept = this.given() && !control
    const command = this.model.bindings[(control ? "ctrl+" : "") + event.key]
    if (!kept && !command) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    // Without a server nothing of it would be kept: `connection.js` refuses it.
    if (!window.dispatchEvent(new CustomEvent("avh-key-pressed", { cancelable: true }))) { return }
    if (kept) { this.keep(event); return }
    if (this.model.focusing.includes(command)) {
      leave()
      this.waiting = { command, until: performance.now() + PATIENCE, text: "", submit: false, rest: [] }
    }
    const asked = { command, seq: ++this.sent }
    // Who draws what the key is about adds what it is of; in a notebook with several apps nobody knows whose it is.
    if (!this.model.scope) { window.dispatchEvent(new CustomEvent("avh-key", { detail: asked })) }
    this.model.send_msg(asked)
  }
}

// As soon as this is read, before anything of the page is laid out.
skipHiddenPages()

export function render({ model }) {
  const keys = new Keys(model)
  const listened = new AbortController()
  for (const [name, heard] of [["keydown", "pressed"], ["pointerdown", "pointed"], ["focusin", "focused"]]) {
    window.addEventListener(name, (event) => keys[heard](event), { capture: true, signal: listened.signal })
  }
  model.on("remove", () => listened.abort())
}
