"""What is measured: metrics as declarations over mergeable states, computed from columns by one NumPy and Arrow kernel."""
