import { button, drawTogether, make, refill } from "./dom.js"

// Programs of mail take addresses of some 2,000 characters; what is beyond that is copied.
const LONGEST = 1800

// A page that came without TLS from another machine has no clipboard of its own.
async function copy(text) {
  if (navigator.clipboard) { await navigator.clipboard.writeText(text); return }
  const box = make("textarea", { text, "aria-hidden": "true" })
  document.body.append(box)
  box.select()
  const done = document.execCommand("copy")
  box.remove()
  if (!done) { throw new Error("not copied") }
}

function addressed({ mail, subject, text }) {
  const body = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return `mailto:${encodeURIComponent(mail).replace("%40", "@")}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
}

export function render({ model, el }) {
  const said = make("span", { cls: "said", role: "status" })
  const press = button({ cls: "copy", text: "Copy the findings" }, async () => {
    try {
      await copy(model.text)
      said.textContent = "Copied"
    } catch {
      fold.open = true
      said.textContent = "The browser does not let this page copy: mark the text below"
    }
  })
  const ways = make("span", { cls: "ways" })
  const title = make("summary")
  const body = make("pre", { tabindex: "0", "aria-label": "The findings" })
  const fold = make("details", {}, [title, body])
  el.append(make("div", { cls: "all" }, [make("div", { cls: "row" }, [press, ways, said]), fold]))
  const fill = () => {
    said.textContent = ""
    title.textContent = model.title
    body.textContent = model.text
    const mail = model.mail ? [make("a", { "data-way": "mail", text: "Write the mail", href: addressed(model) })] : []
    const link = model.link ? [make("a", { "data-way": "link", text: "Open their page", href: model.link, target: "_blank", rel: "noopener noreferrer" })] : []
    refill(ways, [...mail, ...link], "way")
  }
  drawTogether(model, ["title", "text", "subject", "mail", "link"], fill)
  fill()
}
