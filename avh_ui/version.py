"""The number of this release, for every layer: the package itself stands above them."""

__version__ = "0.1.0"
