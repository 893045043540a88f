"""The sample pipelines and the seeding of a demo workspace."""

from avh_ui.demo.seed import seed

__all__ = ["seed"]
