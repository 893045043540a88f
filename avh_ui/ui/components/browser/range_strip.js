import { drawTogether, make } from "./dom.js"

// Two native sliders above each other, each with a name, and the batch that it is at as its value.
class Strip {
  constructor(model) {
    this.model = model
    this.handles = ["First", "Last"].map((end, at) => this.handle(`${end} batch drawn of the history`, at))
    this.words = make("span", { cls: "words", role: "status" })
    this.rail = make("div", { cls: "rail" }, this.handles)
    this.node = make("div", { cls: "strip", role: "group", "aria-label": "Batches of the history that are drawn" }, [this.rail, this.words])
  }

  handle(name, at) {
    const input = make("input", { type: "range", min: "0", step: "1", "aria-label": name })
    input.addEventListener("input", () => this.moved(at))
    return input
  }

  // One handle pushes the other no further than to itself.
  moved(at) {
    const [first, last] = this.handles.map(({ value }) => Number(value))
    if (first > last) { this.handles[at].value = at ? first : last }
    this.sent = this.handles.map(({ value }) => Number(value))
    this.paint()
    // One message for all moves that come before the next frame.
    cancelAnimationFrame(this.soon)
    this.soon = requestAnimationFrame(() => this.model.send_msg(this.sent))
  }

  paint() {
    const [first, last] = this.handles.map(({ value }) => (100 * Number(value)) / this.model.last)
    this.rail.style.setProperty("--first", `${first}%`)
    this.rail.style.setProperty("--last", `${last}%`)
    // At the right end both are there: the one that can still be moved lies above.
    this.handles[0].style.zIndex = first > 50 ? 2 : 1
    this.handles[1].style.zIndex = first > 50 ? 1 : 2
  }

  fill() {
    const { ends, last, words } = this.model
    // An answer to a move before the newest: the handle stays where it is held.
    if (this.sent && String(this.sent) !== String(ends) && this.last === last) { return }
    Object.assign(this, { sent: null, last })
    this.handles.forEach((handle, at) => {
      handle.max = last
      handle.value = ends[at]
      handle.setAttribute("aria-valuetext", words[at])
    })
    this.words.textContent = `${words[0]} – ${words[1]}`
    this.paint()
  }
}

export function render({ model, el }) {
  const strip = new Strip(model)
  el.append(strip.node)
  drawTogether(model, ["ends", "last", "words"], () => strip.fill())
  strip.fill()
}
