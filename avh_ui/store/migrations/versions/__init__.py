"""One file per revision, in order; never changed once released."""
