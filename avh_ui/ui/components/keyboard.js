// Listens in the capture phase of the window, before JupyterLab's own keys; composedPath sees through shadow roots.
const WRITES = /^(INPUT|TEXTAREA|SELECT)$/
const NO_TEXT = /^(checkbox|radio|button|range)$/

const typesIn = (node) => node.isContentEditable || (WRITES.test(node.tagName || "") && !NO_TEXT.test(node.type || ""))
const inOverlay = (path) => path.some((node) => node.getAttribute && /^(listbox|menu|dialog)$/.test(node.getAttribute("role") || ""))

// A field gets its focus from the server; what is typed until then belongs into it, and must not be taken for commands.
const PATIENCE = 3000

export function render({ model }) {
  let active = !model.scope
  let waiting = null
  const given = () => { if (waiting && performance.now() > waiting.until) { waiting = null } return waiting }
  const onFocus = (event) => {
    const field = event.composedPath()[0]
    if (!given() || !typesIn(field)) { return }
    const { text, submit, command } = waiting
    waiting = null
    // A number is typed anew, not into the middle of the old one.
    if (text && command === "edit") { field.select?.() }
    // At once: the next key may be waiting already.
    if (text) { document.execCommand("insertText", false, text) }
    if (submit) { field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, cancelable: true })) }
  }
  const onPointer = (event) => {
    if (model.scope) {
      active = event.composedPath().some((node) => node.classList && node.classList.contains(model.scope))
    }
  }
  const onKey = (event) => {
    if (!active || event.isComposing || event.altKey) { return }
    const path = event.composedPath()
    const writing = path[0] && typesIn(path[0])
    if (writing && event.key === "Escape") { path[0].blur() }
    if ((writing && event.key !== "Escape") || inOverlay(path)) { return }
    // Enter and blank press the button that has the focus.
    if ((event.key === "Enter" || event.key === " ") && path[0].tagName === "BUTTON") { return }
    // Arrows move the slider that has the focus.
    if (path[0].type === "range" && event.key.startsWith("Arrow")) { return }
    if (given() && !event.ctrlKey && !event.metaKey) {
      if (event.key === "Escape") { waiting = null } else if (event.key === "Enter") { waiting.submit = true }
      else if (event.key === "Backspace") { waiting.text = waiting.text.slice(0, -1) } else if (event.key.length === 1) { waiting.text += event.key }
      event.preventDefault()
      event.stopImmediatePropagation()
      return
    }
    const combo = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key
    const command = model.bindings[combo]
    if (!command) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (model.focusing.includes(command)) { waiting = { command, until: performance.now() + PATIENCE, text: "", submit: false } }
    model.send_msg({ command })
  }
  window.addEventListener("keydown", onKey, true)
  window.addEventListener("pointerdown", onPointer, true)
  window.addEventListener("focusin", onFocus, true)
  model.on("remove", () => {
    window.removeEventListener("keydown", onKey, true)
    window.removeEventListener("pointerdown", onPointer, true)
    window.removeEventListener("focusin", onFocus, true)
  })
}
