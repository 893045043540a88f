export function render({ model }) {
  const keep = () => { document.cookie = `avh_theme=${model.dark ? "dark" : "light"}; path=/; max-age=31536000; samesite=lax` }
  model.on("dark", keep)
}
