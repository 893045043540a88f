"""What every validation judges of a batch beside the rules of its program, in plain words: by the name that a report gives it."""

from __future__ import annotations

from dataclasses import dataclass

_SCHEMA, _DELIVERY, _STALE, _EMPTY = (f"`severities: {{{name}: ...}}`" for name in ("schema", "delivery", "stale", "empty"))
_MEND = "mend it, and validate it again"
_WARNS = "it only warns"


@dataclass(frozen=True)
class BatchRule:
    """What a rule on the batch as a whole `means`, and what to `do` about it, both without a full stop."""

    name: str
    means: str
    do: str


_ALL = (
    BatchRule("schema", "Whether the columns are those that were approved", f"{_SCHEMA} of avh.yml says how severe another one is"),
    BatchRule("missing_column", "A column of the program is not in the batch", f"{_SCHEMA} of avh.yml says how severe that is"),
    BatchRule("extra_column", "A column came that the program does not know", "publish again to have rules on it"),
    BatchRule(
        "type_changed",
        "A column is of another type, or is written otherwise (5.0 for 5, cents or leading zeros lost)",
        f"{_SCHEMA} of avh.yml says how severe that is",
    ),
    BatchRule("empty_batch", "The batch has no rows", f"where that may be, write {_EMPTY} in avh.yml"),
    BatchRule("batch_not_found", "The batch is not at its source", "it may be late: validate it when it has come"),
    BatchRule("unreadable_batch", "The batch cannot be read", _MEND),
    BatchRule("unfinished_delivery", "The batch is still being written", "wait for it"),
    BatchRule("malformed_rows", "Lines are no rows: too few or too many values", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("files_differ", "The files of the batch have different columns", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("file_count", "The batch came in another number of files than usual", f"{_WARNS}: look whether one is missing"),
    BatchRule("empty_files", "Some of the files have no rows", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("unread_files", "Some of the files could not be read, so that nothing is known of their rows", _MEND),
    BatchRule(
        "undecodable_text", "Texts have characters that the encoding has not", "say the right `encoding` in the options of the source"
    ),
    BatchRule(
        "how_read", "How the batch was read is for a person to look at, such as rows that are in no batch", f"{_WARNS}, and says what it is"
    ),
    BatchRule("not_finite", "A column has NaN or infinity where it had none", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("empty_texts", "A column has empty texts where it had none", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("long_texts", "A text is far longer than any before", f"{_DELIVERY} of avh.yml says how severe that is"),
    BatchRule("stale", "The rows were delivered before, under another batch", f"{_STALE} of avh.yml says how severe that is"),
    BatchRule("stated_rules", "A rule of avh.yml names a column that is not there", "correct its name in avh.yml"),
    BatchRule("segments", "`segments:` of avh.yml names a column that is not there", "correct its name in avh.yml"),
    BatchRule("excluded", "`columns: exclude` of avh.yml names a column that is not there", "correct its name in avh.yml"),
)
BATCH_RULES = {one.name: one for one in _ALL}
