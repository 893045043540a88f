// Bokeh makes a drawing a stop of the tab key, without a name. What is done in one has fields and keys of its own beside it.
for (const view of Bokeh.index.find(cb_obj)) { view.canvas_view.events_el.tabIndex = -1 }
