"""A corpus of tables (Auto-Validate): its index of patterns, and the pattern of one column by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from avh_ui.errors import NotFoundError
from avh_ui.metrics.profiler import Watch

if TYPE_CHECKING:
    from avh_ui.inference.by_corpus.candidates import PatternSuggestion
    from avh_ui.inference.by_corpus.corpus_index import CorpusIndex

Inferred: TypeAlias = "PatternSuggestion"


class CorpusReader(Protocol):
    """The port: files of tables, and their scan."""

    def files(self, source: str) -> list[str]:
        """The files that a glob, folder or file names; `SourceError` when there is none."""
        ...

    def values(self, file: str, column: str) -> tuple[Sequence[str | None] | None, list[str]]:
        """The first values of a file's column of texts, None where there is no such column; and the names of those there are."""
        ...

    def index(
        self, files: Sequence[str], *, least_columns: int | None, licence: str, watch: Watch, on_unreadable: Callable[[str], None]
    ) -> CorpusIndex:
        """The index of the files; what cannot be read is told in words."""
        ...


@dataclass(frozen=True)
class Indexed:
    """What was written: what the index says of itself, its patterns, its size in bytes, and sentences on files left out."""

    about: dict[str, Any]
    patterns: int
    size: int
    unreadable: tuple[str, ...]


class Corpus:
    """Indexes of corpora, and patterns inferred by them."""

    def __init__(self, reader: CorpusReader) -> None:
        self._reader = reader

    def files(self, sources: Sequence[str]) -> list[str]:
        """The files that globs, folders or files name, each once; `SourceError` for one that names none."""
        return list(dict.fromkeys(file for source in sources for file in self._reader.files(source)))

    def index(
        self,
        files: Sequence[str],
        output: Path,
        *,
        merge: Path | None = None,
        least_columns: int | None = None,
        licence: str = "",
        watch: Watch | None = None,
    ) -> Indexed:
        """Build the index of the files, merge it with another one, and write it; what would keep it from that is told before the work."""
        from avh_ui.inference.by_corpus.corpus_index import check_target, open_index
        from avh_ui.inference.by_corpus.impurities import IndexRules

        check_target(output)
        other = open_index(merge) if merge else None
        if other:
            other.check_rules(IndexRules())
        unreadable: list[str] = []
        built = self._reader.index(
            files, least_columns=least_columns, licence=licence, watch=watch or Watch(), on_unreadable=unreadable.append
        )
        made = other.merge(built) if other else built
        return Indexed(made.about, len(made.keys), made.save(output), tuple(unreadable))

    def infer(self, source: str, column: str, index: Path | None = None, **settings: float) -> Inferred | None:
        """The pattern of a column of a file by an index (the one that ships by default); None where none is safe.

        `settings` are the paper's `r`, `m` and `theta`. `NotFoundError` names the columns of texts that there are.
        """
        from avh_ui.inference.by_corpus.corpus_index import open_index, starter_index
        from avh_ui.inference.by_corpus.fmdv import Thresholds
        from avh_ui.inference.by_corpus.inferring import infer

        chosen, used = Thresholds(**settings), open_index(index) if index else starter_index()  # type: ignore[arg-type]
        values, names = self._reader.values(self._reader.files(source)[0], column)
        if values is None:
            raise NotFoundError("text column", column, names)
        return infer(values, used, chosen)
