export function render({ model }) {
  const show = () => {
    const { search, push, title } = model.place
    document.title = title || document.title
    if (search === window.location.search) { return }
    const url = window.location.pathname + search + window.location.hash
    if (push) { window.history.pushState(null, "", url) } else { window.history.replaceState(null, "", url) }
  }
  const back = () => model.send_msg({ search: window.location.search })
  model.on("place", show)
  window.addEventListener("popstate", back)
  model.on("remove", () => window.removeEventListener("popstate", back))
  show()
}
