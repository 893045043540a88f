"""AVH: constraints programmed from the history of metrics, within a budget of false alarms (Tu et al., KDD 2023)."""
