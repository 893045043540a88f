// Bokeh takes 0.3 s without movement for a long press, after which a drag is no drag any more. Nothing here answers to a long press.
Bokeh.require("core/ui_gestures").UIGestures.press_threshold = 2 ** 31 - 1
