"""The pages of the app, each a Viewer that works by itself."""
