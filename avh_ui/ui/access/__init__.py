"""Who may open the app, and what a browser may do with its pages."""
