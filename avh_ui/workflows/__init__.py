"""What people do with a workspace, one file per workflow: profile, suggest, review, publish, validate. Orchestration over the ports."""
