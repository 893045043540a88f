// Listens in the capture phase of the window, before JupyterLab's own keys; composedPath sees through shadow roots.
const WRITES = /^(INPUT|TEXTAREA|SELECT)$/
const NO_TEXT = /^(checkbox|radio|button|range)$/

const typesIn = (node) => node.isContentEditable || (WRITES.test(node.tagName || "") && !NO_TEXT.test(node.type || ""))
const inOverlay = (path) => path.some((node) => node.getAttribute && /^(listbox|menu|dialog)$/.test(node.getAttribute("role") || ""))

export function render({ model }) {
  let active = !model.scope
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
    const combo = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key
    const command = model.bindings[combo]
    if (!command) { return }
    event.preventDefault()
    event.stopImmediatePropagation()
    model.send_msg({ command })
  }
  window.addEventListener("keydown", onKey, true)
  window.addEventListener("pointerdown", onPointer, true)
  model.on("remove", () => {
    window.removeEventListener("keydown", onKey, true)
    window.removeEventListener("pointerdown", onPointer, true)
  })
}
