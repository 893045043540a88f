"""`references:` of a pipeline in avh.yml: the tables that its rules compare with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from avh_ui.config_options import check_reader_options


def text_options(value: Any) -> Any:
    """Options of a reader as texts."""
    # YAML turns `header: true` into a boolean; Spark's reader wants the text.
    if value is None or not isinstance(value, dict):
        return {} if value is None else value
    empty = [k for k, v in value.items() if v is None]
    if empty:
        raise ValueError(f'{empty[0]!r} has no value; write "" for an empty text')
    return {str(k): str(v).lower() if isinstance(v, bool) else str(v) for k, v in value.items()}


class Reference(BaseModel):
    """A table that rules compare with: files under a path, or a table of the catalog. `options` are those of Spark's reader."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["parquet", "csv", "json", "orc", "delta", "table"] = "parquet"
    path: str = ""
    table: str = ""
    options: dict[str, str] = Field(default_factory=dict)

    _text_options = field_validator("options", mode="before")(text_options)

    @model_validator(mode="after")
    def _addressed(self) -> Reference:
        if not (self.table if self.format == "table" else self.path or (self.format == "delta" and self.table)):
            raise ValueError(f"a reference of format {self.format} needs {'table' if self.format == 'table' else 'path'}")
        check_reader_options(self.format, self.options)
        return self


def below(workspace: Path, references: Mapping[str, Reference]) -> dict[str, Reference]:
    """The references, their relative paths below the workspace."""
    found = {}
    for name, reference in references.items():
        path = reference.path
        inside = path and "://" not in path and not Path(path).is_absolute()
        found[name] = reference.model_copy(update={"path": str(workspace / path)}) if inside else reference
    return found
