import { button, drawTogether, make, refill, save } from "./dom.js"

const samples = (found) => found.map(({ glyph, name, values }) => {
  const line = make("div", { cls: "legend wrap", text: `${glyph} ${name}: ` })
  for (const value of values) { line.append(make("code", { text: value }), " ") }
  return line
})

// How many values are like each alternative of a union, as a bar and a number.
const parts = (found) => found.map(({ text, share }) => {
  const bar = make("span", { cls: "bar" })
  bar.style.setProperty("--share", share)
  return make("div", { cls: "part" }, [bar, make("span", { cls: "num", text: share }), make("code", { cls: "wrap", text })])
})

function rungLine(rung, at, refusal) {
  const words = make("div", { cls: "words" }, [
    make("div", { title: rung.title }, [make("b", { cls: "wrap", text: rung.text }), rung.mark]),
    make("div", { cls: "legend", text: rung.facts }),
    ...parts(rung.parts),
    ...samples(rung.samples),
  ])
  const word = rung.used ? "In use" : "Use"
  const use = button({ text: word, "data-at": at, "aria-label": `${word}: ${rung.text}`, title: refusal })
  use.disabled = rung.used || Boolean(refusal)
  return make("li", {}, [words, use])
}

function verdict({ problem, tried }) {
  if (problem) { return [make("div", { cls: "verdict problem", role: "alert", text: `⚠ ${problem}` })] }
  if (!tried) { return [] }
  return [make("div", { cls: "verdict", role: "status" }, [make("b", { text: tried.facts }), tried.where]), ...samples(tried.samples)]
}

// The regex of one's own. What is being typed of an item stays when it is filled: the answer is to what was typed before.
class Regex {
  constructor(model) {
    this.model = model
    this.told = ""
    this.typing = false
    this.node = make("input", { type: "text", id: "regex", spellcheck: "false", autocomplete: "off" })
    this.node.addEventListener("input", () => { this.typing = true })
    this.node.addEventListener("change", () => this.tell())
  }

  tell() {
    this.typing = false
    if (this.node.value !== this.told) { this.told = this.node.value; this.model.send_msg({ do: "type", regex: this.told }) }
  }

  fill({ item, typed }) {
    this.typing &&= item === this.item
    this.item = item
    this.told = typed
    if (!this.typing && this.node.value !== typed) { this.node.value = typed }
  }
}

export function render({ model, el }) {
  const regex = new Regex(model)
  const heading = make("h3", { text: "Alternatives, from the most specific to the most general" })
  const table = button({ cls: "save", text: "Ladder CSV" }, () => save("ladder.csv", model.shown.csv))
  const list = make("ol", { "aria-label": "Alternative patterns" })
  const keep = button({ text: "Use this regex" }, () => { regex.tell(); model.send_msg({ do: "save" }) })
  const form = make("div", { cls: "form" }, [make("label", { for: "regex", text: "Regex for whole values" }), regex.node, keep])
  const tried = make("div", { cls: "tried" })
  const frame = make("section", { cls: "section" }, [make("div", { cls: "top" }, [heading, table]), list, form, tried])
  el.append(frame)
  list.addEventListener("click", (event) => {
    const at = event.target.closest("button")?.dataset.at
    if (at != null) { model.send_msg({ do: "use", at: Number(at) }) }
  })

  const fill = () => {
    const { shown } = model
    frame.hidden = !shown.rungs
    if (!shown.rungs) { list.replaceChildren(); return }
    refill(list, shown.rungs.map((rung, at) => rungLine(rung, at, shown.refusal)), "at")
    regex.fill(shown)
    keep.disabled = !shown.ready || Boolean(shown.refusal)
    keep.title = shown.refusal || ""
    tried.replaceChildren(...verdict(shown))
  }
  drawTogether(model, "shown", fill)
  fill()
}
