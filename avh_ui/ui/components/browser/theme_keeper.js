const kept = (name) => new RegExp(`(^|; )${name}=(dark|light)`).exec(document.cookie)?.[2]
const keep = (name, dark) => { document.cookie = `${name}=${dark ? "dark" : "light"}; path=/; max-age=31536000; samesite=lax` }

export function render({ model }) {
  const system = window.matchMedia("(prefers-color-scheme: dark)")
  // What the page turns to by itself was not chosen, and must not stay when the system changes.
  let follows = null
  const follow = () => {
    keep("avh_system", system.matches)
    if (kept("avh_theme") || model.dark === system.matches) { return }
    follows = system.matches
    model.send_msg({ dark: follows })
  }
  const seen = () => {
    if (model.dark !== follows) { keep("avh_theme", model.dark) }
    follows = null
  }
  model.on("dark", seen)
  system.addEventListener("change", follow)
  model.on("remove", () => system.removeEventListener("change", follow))
  follow()
}
