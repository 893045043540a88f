"""Where Panel's components have their scripts and style sheets, looked up once per process."""

from __future__ import annotations

from functools import cache

from panel.custom import ReactiveESM
from panel.util import classproperty
from panel_material_ui.base import MaterialComponent


def keep_paths() -> None:
    """Have each class of components remember its paths.

    Panel 1.9.4 works them out at each use, for all classes there are and for each page: 1,900 questions to the disk, which changes nothing
    while the process runs.
    """
    for kind in (ReactiveESM, MaterialComponent):
        for name in ("_bundle_path", "_bundle_css"):
            found = vars(kind).get(name)
            if isinstance(found, classproperty) and not hasattr(found.f, "cache_info"):
                setattr(kind, name, classproperty(cache(found.f)))
