import { button, make, refill, reveal, shape, trace } from "./dom.js"

const piece = (cls, text) => make("span", { cls, text: text ?? "" })

function spark({ name, y, last }) {
  const x = (at) => (2 + (at * 116) / Math.max(y.length - 1, 1)).toFixed(1)
  const line = shape("path", { d: trace(y, x, (value) => (20 - value * 0.18).toFixed(1)) })
  const about = { role: "img", "aria-label": `${name} of the last ${y.length} batches` }
  const picture = shape("svg", { viewBox: "0 0 120 22", preserveAspectRatio: "none", ...about }, [line])
  return make("span", { cls: "spark" }, [picture, piece("amount", `${last} ${name}`)])
}

function row(line, here, pick, lead) {
  const glyph = make("span", { cls: `glyph ${line.tone || ""}`, text: line.glyph ?? "", "aria-hidden": "true" })
  const parts = [glyph, make("span", { cls: "label", parts: line.label }), piece("tag", line.tag), piece("note", line.note)]
  if (line.news) { parts.push(piece("news", line.news)) }
  const wide = line.sparks?.length
  if (wide) { parts.push(make("span", { cls: "sparks" }, line.sparks.map(spark))) }
  const cls = `line${wide ? " wide" : ""}`
  const whole = button({ cls, "data-value": line.value, title: line.title, "aria-current": String(here) }, () => pick(line.value), parts)
  if (!line.lead) { return whole }
  const about = { cls: "lead", text: line.lead, "aria-label": `${line.lead}: ${line.label}`, "data-value": `lead ${line.value}` }
  return make("div", { cls: "led", "data-value": `led ${line.value}` }, [whole, button(about, () => lead(line.value))])
}

export function render({ model, el }) {
  const list = make("div", { cls: "list", role: "group" })
  el.append(list)
  const mark = (follow) => {
    const lines = [...list.querySelectorAll("button.line")]
    const focused = lines.includes(el.getRootNode().activeElement)
    // Where keys move what is looked at, the tab key goes to that line alone: what stands behind a hundred lines is not a hundred keys away.
    const alone = model.moved && lines.some((line) => line.dataset.value === model.value)
    for (const line of lines) {
      const here = line.dataset.value === model.value
      line.setAttribute("aria-current", String(here))
      line.tabIndex = alone && !here ? -1 : 0
      if (here && follow) { reveal(line, list) }
      if (here && focused && alone) { line.focus({ preventScroll: true }) }
    }
  }
  let first = true  // when it opens, what is looked at is in sight
  const fill = () => {
    list.setAttribute("aria-label", model.label)
    const [pick, lead] = [(value) => model.send_msg(value), (value) => model.send_msg({ lead: value })]
    refill(list, model.lines.map((line) => row(line, line.value === model.value, pick, lead)), "value")
    if (!model.lines.length) { list.append(piece("none", model.empty)) }
    mark(first && model.lines.length > 0)
    first = first && !model.lines.length
  }
  model.on(["lines", "empty"], fill)
  model.on("value", () => mark(true))
  fill()
}
