"""`avh.yml` as typed, validated pipelines (pydantic); the field names are the file's contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from avh_ui import bounded_yaml
from avh_ui.config_budget import USUAL, with_budget
from avh_ui.config_contacts import Contact, Contacts
from avh_ui.config_faults import told
from avh_ui.config_notify import Notice, with_known_pipelines
from avh_ui.config_references import Reference, below, text_options
from avh_ui.config_source import Reader, Source
from avh_ui.errors import UPGRADE, ConfigError, NotFoundError, nearest

__all__ = ["Config", "Pipeline", "Reader", "Source", "load_config"]

CONFIG_NAME = "avh.yml"
# The newest `version:` of avh.yml that this release understands.
CONFIG_VERSION = 1
# A word, or an ISO 8601 duration that is not zero.
CADENCE = re.compile(r"hourly|daily|weekly|monthly|P(?=.*[1-9])(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?")
# What people write for a cadence.
OTHER_CADENCES = {
    **{word: word for word in ("hourly", "daily", "weekly", "monthly")}, "hour": "hourly", "day": "daily", "week": "weekly",
    "month": "monthly", "minutely": "PT1M", "minute": "PT1M", "quarterly": "P3M", "quarter": "P3M", "half-yearly": "P6M",
    "yearly": "P1Y", "annually": "P1Y",
}  # fmt: skip
Role = Literal["viewer", "reviewer", "approver"]
Severity = Literal["error", "warning", "off"]
Engine = Literal["auto", "spark", "local"]
# AVH on the history, the values that came, Auto-Validate on a corpus of columns, Deequ's rules on the latest batch, what columns keep
# together in every row.
SuggestionSource = Literal["history", "values", "corpus", "snapshot", "relations"]
# What a column is, whatever its type: found from its history (`inference.kinds`), or said by a person.
ColumnKind = Literal[
    "batch key", "calendar part", "identifier", "code", "category", "open category", "clock code", "hour", "minute", "counter", "count",
    "measure", "share", "latitude", "coordinate", "date", "free text", "truth", "constant", "text",
]  # fmt: skip
# Letters, digits, _ - . and no leading dot: the name is a folder and a URL part.
PIPELINE_NAME = re.compile(r"[A-Za-z0-9_\-][A-Za-z0-9_.\-]*")


def _cadence(value: str) -> str:
    if not CADENCE.fullmatch(value):
        known = "hourly, daily, weekly, monthly"
        if value.lower() in OTHER_CADENCES:
            raise ValueError(f"{value!r} is written {OTHER_CADENCES[value.lower()]!r}")
        raise ValueError(f"{value!r} is neither {known} nor an ISO 8601 duration: PT15M (minutes), PT6H (hours), P2D, P3M (months), P1Y")
    return value


def _as_text(value: object) -> object:
    """A number as a text: in quotes it would be no cadence either, and what one is has to be said."""
    return str(value) if type(value) in (int, float) else value


Cadence = Annotated[str, BeforeValidator(_as_text), AfterValidator(_cadence)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnsSetting(_Strict):
    """Which columns are measured; an empty `include` means all. A name is that of a column or of a field of a struct (`geo.lat`)."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def wants(self, *names: str) -> bool:
        """Whether a column is measured, or a field of one: `names` are its own and those of the columns that it is in."""
        return not any(n in self.exclude for n in names) and (not self.include or any(n in self.include for n in names))


class AskedMeasure(_Strict):
    """What is measured of every batch beside the metrics of its columns: a metric of the rows of a condition (`where`, Spark SQL), of
    several columns together, or one that is not measured of every column; or the share of rows for which a predicate is true.
    """

    name: str
    columns: tuple[str, ...] = ()
    where: str | None = None
    parameters: dict[str, str | float | bool] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _of_something(self) -> AskedMeasure:
        if not self.columns and self.where is None and "predicate" not in self.parameters:
            raise ValueError(f"{self.name} of nothing asks for nothing: give it `columns`, a `where` or a predicate")
        if "predicate" in self.parameters and self.columns:
            raise ValueError(f"{self.name} has a predicate, which says itself of what columns it is: leave out `columns`")
        return self


class Severities(_Strict):
    """How severe a violated constraint (`level`), a schema drift (`schema`), a faulty delivery (`delivery`: malformed rows, files that
    differ, text that cannot be decoded), a content that was delivered before (`stale`) and a batch without rows (`empty`) are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    schema_level: Severity = Field("error", alias="schema")
    delivery: Severity = "error"
    stale: Severity = "error"
    empty: Severity = "error"
    level: Literal["error", "warning"] = "error"

    @field_validator("schema_level", "delivery", "stale", "empty", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        # To YAML a bare `off` is the boolean false.
        return "off" if value is False else value


class Pipeline(_Strict):
    """One recurring table. With `four_eyes`, nobody publishes a draft in which a decision is their own; `longest_snooze` is in days.

    Its rows are matched by `key` with those of the batch before; `rows` says what is kept of the rows sampled for it: values, hashes in
    the place of texts, or no rows, and `rows_kept` of how many keys (None: as many as make a sample of the usual size). `kinds` say
    what columns are, where what is found of them is wrong.

    `rules` are those that people state, as plain data: `constraints.check_records` reads them. A mapping under `rules` are severities, as
    in files of release 0.1.

    `owner` answers for the rules, and who the table is `delivered_by` is asked when a batch is wrong: a team, an address of mail or a link.

    With `samples: off` no text of the data leaves its source: not into reports, runs, the history, programs, messages or pages.
    """

    name: str = ""
    source: Source
    cadence: Cadence = "daily"
    columns: ColumnsSetting = ColumnsSetting()
    segments: tuple[str, ...] = ()
    fpr: float = Field(USUAL, gt=0, le=0.5)
    table_fpr: float | None = Field(None, gt=0, le=0.5)
    owner: Contact = ""
    delivered_by: Contact = ""
    description: str = ""
    severities: Severities = Severities()
    rules: tuple[dict[str, Any], ...] = ()
    four_eyes: bool = False
    longest_snooze: float = Field(30, gt=0)
    samples: Literal["on", "off"] = "on"
    sources: tuple[SuggestionSource, ...] = get_args(SuggestionSource)
    measures: tuple[AskedMeasure, ...] = ()
    references: dict[str, Reference] = Field(default_factory=dict)
    kinds: dict[str, ColumnKind] = Field(default_factory=dict)
    key: tuple[str, ...] = ()
    rows: Literal["values", "hashed", "none"] = "values"
    rows_kept: int | None = Field(None, ge=1_000, le=200_000)

    @property
    def contacts(self) -> Contacts:
        """Who sends the table, and who answers for its rules."""
        return Contacts(self.owner, self.delivered_by)

    @field_validator("key")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if twice := [name for name in value if value.count(name) > 1]:
            raise ValueError(f"{twice[0]!r} is named twice in the key")
        return value

    @model_validator(mode="before")
    @classmethod
    def _severities_as_before(cls, data: Any) -> Any:
        if not isinstance(data := with_budget(data), dict) or not isinstance(data.get("rules"), dict):
            return data
        if unknown := [str(key) for key in data["rules"] if key not in ("schema", *Severities.model_fields)]:
            raise ValueError(f"rules should be a list, each rule after a hyphen (`- {unknown[0]}: ...`)")
        if "severities" in data:
            raise ValueError("rules is a mapping of severities, as in earlier releases, beside severities: keep one of them")
        return {**{key: value for key, value in data.items() if key != "rules"}, "severities": data["rules"]}

    @field_validator("samples", mode="before")
    @classmethod
    def _on_or_off(cls, value: Any) -> Any:
        # YAML reads both words as truth values.
        return ("on" if value else "off") if isinstance(value, bool) else value

    @field_validator("columns", mode="before")
    @classmethod
    def _included_or_not(cls, value: Any) -> Any:
        if isinstance(value, list | str):
            named = ", ".join(map(str, [value] if isinstance(value, str) else value))
            raise ValueError(
                f"{value!r} does not say whether these are all or left out: write `include: [{named}]` or `exclude: [{named}]`"
            )
        return value

    @field_validator("kinds", mode="before")
    @classmethod
    def _known_kinds(cls, value: Any) -> Any:
        known = get_args(ColumnKind)
        for column, kind in value.items() if isinstance(value, dict) else ():
            if kind not in known:
                raise ValueError(f"{column!r} is given the kind {kind!r}, which there is not. {nearest(str(kind), known)}")
        return {} if value is None else value

    @field_validator("sources")
    @classmethod
    def _some_source(cls, value: tuple[SuggestionSource, ...]) -> tuple[SuggestionSource, ...]:
        if not value:
            raise ValueError("name at least one of history, values, corpus, snapshot and relations")
        return tuple(dict.fromkeys(value))


class SparkSettings(_Strict):
    """How Spark is reached: a local or cluster `master`, or a Spark Connect `remote`."""

    master: str = "local[*]"
    remote: str = ""
    conf: dict[str, str] = Field(default_factory=dict)
    packages: tuple[str, ...] = ()

    _text_conf = field_validator("conf", mode="before")(text_options)


class StoreUrls(_Strict):
    """Where history, programs and reviews live: relative to the workspace, or a URL."""

    history: str = "history/"
    programs: str = "programs/"
    reviews: str = "sqlite:///reviews.db"
    require_signature: bool = False


class Config(_Strict):
    """The whole `avh.yml`. `engine` says what measures batches: Spark, this process and its workers, or (`auto`) these where Spark's
    start would take longer than the work.
    """

    version: int = CONFIG_VERSION
    engine: Engine = "auto"
    pipelines: dict[str, Pipeline] = Field(default_factory=dict)
    spark: SparkSettings = SparkSettings()
    store: StoreUrls = StoreUrls()
    people: dict[str, Role] = Field(default_factory=dict)
    notify: tuple[Notice, ...] = ()
    _notified = model_validator(mode="after")(with_known_pipelines)

    @model_validator(mode="before")
    @classmethod
    def _name_pipelines(cls, data: dict[str, Any]) -> dict[str, Any]:
        pipelines = data.get("pipelines") or {}
        if not isinstance(pipelines, dict):
            raise ValueError("pipelines should be a mapping from each pipeline's name to its source and settings (`orders:`, no hyphen)")
        for name in pipelines:
            if not isinstance(name, str):  # YAML reads 2024 as a number and `on` as a boolean
                raise ValueError(f"pipeline name {name!r} is not text: put it in quotes")
            if not PIPELINE_NAME.fullmatch(name):
                raise ValueError(f"pipeline name {name!r} may hold letters, digits, _ - . and not start with a dot")
        named = {name: {**body, "name": name} if isinstance(body, dict) else body for name, body in pipelines.items()}
        return {**{k: v for k, v in data.items() if v is not None}, "pipelines": named}

    def pipeline(self, name: str) -> Pipeline:
        """The pipeline of that name; `NotFoundError` names the nearest ones."""
        if name not in self.pipelines:
            raise NotFoundError("pipeline", name, self.pipelines)
        return self.pipelines[name]


def load_config(workspace: Path) -> Config:
    """Read `avh.yml` of a workspace; `ConfigError` says which field is wrong and why."""
    path = workspace / CONFIG_NAME
    if not path.exists():
        raise ConfigError(
            f"{workspace} is not a workspace: it has no {CONFIG_NAME}.", hint="Make one with `avh init -w DIR`, or try `avh demo`."
        )
    try:
        text = path.read_text(encoding="utf-8")
        raw = bounded_yaml.load(text, once=True) or {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path} is not valid YAML: line {line} is not in UTF-8.", hint="Save the file in UTF-8.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(raw, dict):
        raise ConfigError(f"{path} should hold names with values (`pipelines:` and below it yours), not {str(raw)[:80]!r}.")
    version = raw.get("version", CONFIG_VERSION)
    if type(version) is not int:
        raise ConfigError(f"{path} has version {version!r}, which is no whole number.", hint=f"Write `version: {CONFIG_VERSION}`.")
    if version > CONFIG_VERSION:
        hint = f"It was written by a newer avh_ui. {UPGRADE}"
        raise ConfigError(f"{path} has version {version!r}; this avh_ui understands up to {CONFIG_VERSION}.", hint=hint)
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{path} is wrong: {told(error, Config, text)}") from error
    found = {name: p.model_copy(update={"references": below(workspace, p.references)}) for name, p in config.pipelines.items()}
    return config.model_copy(update={"pipelines": found})
