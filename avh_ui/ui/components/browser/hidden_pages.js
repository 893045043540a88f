// Bokeh lays out everything that a document holds whenever anything changes its size: each page that was opened made the next one dearer
// (all seven open, turning to one of them: 2.4 to 3.4 s of a processor; without what is hidden: 0.5 to 1.9). What is not visible has no
// size; when it becomes visible, Bokeh lays out all anew, and then it is among it.
let skipped = false

// A component of ours holds nothing that Bokeh lays out: each of some 25 had the whole page laid out again when it was first drawn.
const ours = (part) => part.model.esm?.startsWith("./static/extensions/avh_ui-")

export function skipHiddenPages() {
  if (skipped) { return }
  skipped = true
  const view = Bokeh.require("models/layouts/layout_dom").LayoutDOMView.prototype
  const parts = Object.getOwnPropertyDescriptor(view, "layoutable_views")?.get
  const { _after_resize: resized } = view
  if (!parts || !resized) { return }  // these are Bokeh's own: a release without them is slower, and a page all the same
  Object.defineProperty(view, "layoutable_views", {
    configurable: true,
    get() { return this.model.visible ? parts.call(this) : [] },
  })
  // Each part that goes out of sight becomes 0 pixels wide, and would have all that is in sight laid out again.
  view._after_resize = function afterResize() {
    if (this.is_layout_root || (this.is_displayed && !ours(this))) { resized.call(this) }
  }
}
