"""In-memory fakes of the ports: simple enough to be the oracles of the real stores, which pass the same contract tests."""
