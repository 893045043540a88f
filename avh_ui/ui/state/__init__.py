"""State of the app as param classes; imports neither panel, holoviews nor bokeh."""
