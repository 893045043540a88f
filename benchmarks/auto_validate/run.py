"""Auto-Validate's evaluation (section 5) in one command: `python -m benchmarks.auto_validate.run --data DIR --output DIR`.

Query columns are drawn from the corpus and held out of the index, with every copy of them in tables of the same family. It writes
`results.json`, `results.md` and the pictures of Figures 10, 12, 13 and 14.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, from_totals
from avh_ui.inference.by_corpus.fmdv import Algorithm, Thresholds
from avh_ui.inference.by_corpus.impurities import IndexRules, PatternImpurities, impurities_of
from avh_ui.inference.by_corpus.summing import totals_of
from benchmarks.auto_validate.corpus import Corpus, load
from benchmarks.auto_validate.corruptions import CORRUPTIONS
from benchmarks.auto_validate.methods import BASELINES, auto_validate
from benchmarks.auto_validate.pictures import Axes, bars, chart
from benchmarks.auto_validate.protocol import Outcome, Queries, detection, evaluate

PAPER: tuple[Algorithm, ...] = ("fmdv", "fmdv-v", "fmdv-h", "fmdv-vh")
OURS = "avh_ui (extended)"
# The paper's own settings but for m, which is for a lake of millions of columns; no prior, ties by least FPR.
PAPER_SETTINGS = {"r": 0.1, "m": 5, "tau": 13, "theta": 0.1, "tie": 0.02, "prior_columns": 0.0}
SWEEPS: dict[str, list[float]] = {
    "r": [0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2],
    "m": [3, 5, 10, 20, 50, 100],
    "tau": [2, 4, 6, 8, 11, 13],
    "theta": [0.0, 0.01, 0.02, 0.05, 0.1, 0.2],
}
SHARES = (0.05, 0.3)


def main() -> None:
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    corpus = load(options.data)
    evidence = scan(corpus, options.processes)
    queries = Queries.half(corpus, options.half)
    index = held_out_index(corpus, evidence, queries)
    methods = {OURS: auto_validate(index, Thresholds())}
    methods |= {name.upper(): auto_validate(index, Thresholds(method=name, **PAPER_SETTINGS)) for name in PAPER}
    methods |= BASELINES
    among = np.ones(len(queries.columns), dtype=bool) if options.all else queries.applicable
    outcomes = {name: evaluate(queries, method, options.level, among) for name, method in methods.items()}
    # A tenth of 1,000 values is too few for Fisher's test to see 5 % of faults (it takes 70 of 900); history gives more.
    half = Queries(corpus, queries.columns[: len(queries.columns) // 3], 0.5)
    results = {
        "corpus": {
            "columns": len(corpus.values),
            "megabytes": corpus.megabytes,
            "patterns": len(index.keys),
            "index_bytes": 20 * len(index.keys),
        },
        "queries": {"all": len(queries.columns), "applicable": int(queries.applicable.sum()), "half": options.half, "level": options.level},
        "methods": {name: report(queries, outcome, among) for name, outcome in outcomes.items()},
        "detection_after_half": {
            name: detection(half, evaluate(half, m, options.level, half.applicable), 0.05) for name, m in methods.items()
        },
        "detection": {str(share): {name: detection(queries, o, share) for name, o in outcomes.items()} for share in SHARES},
    }
    if not options.skip_sweeps:
        fewer = Queries(corpus, queries.columns[:300])
        results["sensitivity"] = sweep(fewer, index, options.level)
    write(options.output, results, index, evidence)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpus")
    parser.add_argument("--output", type=Path, default=Path("build/auto_validate"))
    parser.add_argument("--half", choices=["choose", "report"], default="report", help="of the query columns")
    parser.add_argument("--level", type=float, default=0.001, help="of the rise test; the paper's is 0.01")
    parser.add_argument("--all", action="store_true", help="judge all columns, not those alone that a pattern can describe")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--skip-sweeps", action="store_true")
    return parser.parse_args()


def _evidence(columns: list[list[str]]) -> list[PatternImpurities]:
    return impurities_of(columns, IndexRules())


def scan(corpus: Corpus, processes: int) -> list[PatternImpurities]:
    """The evidence of every column, as the index builder gathers it."""
    chunks = [corpus.values[at : at + 40] for at in range(0, len(corpus.values), 40)]
    with Pool(processes) as pool:
        return [found for chunk in pool.imap(_evidence, chunks) for found in chunk]


def held_out_index(corpus: Corpus, evidence: list[PatternImpurities], queries: Queries) -> CorpusIndex:
    """The index of all columns but the query columns and their copies in other tables of their families."""
    held = {corpus.families[k] for k in queries.columns}
    kept = [k for k, family in enumerate(corpus.families) if family not in held]
    totals = totals_of([evidence[k] for k in kept], [corpus.families[k] for k in kept])
    counts = {"columns": len(kept), "families": 0, "values": 0, "value_bytes": 0}
    return from_totals(totals, {"rules": asdict(IndexRules()), "least_columns": 3, "licence": "", **counts})


def report(queries: Queries, outcome: Outcome, among: NDArray[np.bool_]) -> dict[str, Any]:
    """Scores on applicable and on all columns with their standard errors, and the latency in milliseconds."""
    chosen = queries.applicable
    error = float(outcome.precision[chosen].std() / np.sqrt(chosen.sum())), float(outcome.recall[chosen].std() / np.sqrt(chosen.sum()))
    milliseconds = 1000 * outcome.seconds[among]
    return {
        "applicable": outcome.scores(chosen),
        "applicable_standard_error": {"precision": error[0], "recall": error[1]},
        "all": outcome.scores(among),
        "milliseconds": {
            "mean": float(milliseconds.mean()),
            "p95": float(np.quantile(milliseconds, 0.95)),
            "most": float(milliseconds.max()),
        },
    }


def sweep(queries: Queries, index: CorpusIndex, level: float) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Figure 12: scores on applicable columns as one setting varies."""
    bases = {OURS: Thresholds()} | {name.upper(): Thresholds(method=name, **PAPER_SETTINGS) for name in PAPER}
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    for setting, values in SWEEPS.items():
        found[setting] = {}
        for name, base in bases.items():
            rows = []
            for value in values:
                changed = replace(base, **{setting: int(value) if setting in ("m", "tau") else value})
                rows.append(
                    {
                        "value": value,
                        **evaluate(queries, auto_validate(index, changed), level, queries.applicable).scores(queries.applicable),
                    }
                )
            found[setting][name] = rows
    return found


def write(output: Path, results: dict[str, Any], index: CorpusIndex, evidence: list[PatternImpurities]) -> None:
    """The numbers, a table in Markdown, and the pictures."""
    (output / "results.json").write_text(json.dumps(results, indent=1))
    lines = tables(results)
    (output / "results.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    points = {name: [(row["applicable"]["recall"], row["applicable"]["precision"])] for name, row in results["methods"].items()}
    square = Axes((0, 1), (0, 1))
    (output / "figure_10.svg").write_text(chart("Figure 10: precision and recall", "recall", "precision", square, points, lines=False))
    latency = {name: row["milliseconds"]["mean"] for name, row in results["methods"].items()}
    (output / "figure_14.svg").write_text(bars("Figure 14: latency per query column", "milliseconds", latency, log=True))
    sensitivity(output, results.get("sensitivity", {}))
    patterns(output, index, evidence)


def tables(results: dict[str, Any]) -> list[str]:
    """The methods' scores, and what each sees of every kind of corruption, in Markdown."""
    scores = ["precision", "recall", "F1", "with a rule", "F1, all columns", "p95 ms"]
    seen = [f"{share:.0%} of faults{of}" for share in SHARES for of in ("", ", of clean")]
    lines = [_row("method", [*scores, *seen, "5%, half to train"]), f"|{'---|' * 12}"]
    for name, row in results["methods"].items():
        own = row["applicable"]
        numbers = [own["precision"], own["recall"], own["f1"], own["ruled"], row["all"]["f1"], row["milliseconds"]["p95"]]
        numbers += [mean(results["detection"][str(share)][name], among) for share in SHARES for among in ("all", "clean")]
        lines.append(_row(name, [f"{x:.3f}" for x in (*numbers, mean(results["detection_after_half"][name], "all"))]))
    for share in SHARES:
        methods = results["detection"][str(share)]
        lines += ["", _row(f"{share:.0%} of faults", methods), f"|{'---|' * (len(methods) + 1)}"]
        lines += [_row(kind, [f"{found[kind]['all']:.3f}" for found in methods.values()]) for kind in CORRUPTIONS]
    return lines


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def mean(found: dict[str, dict[str, float]], among: str) -> float:
    """Over the kinds of corruption."""
    return float(np.mean([one[among] for one in found.values()]))


def sensitivity(output: Path, found: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    """Figure 12, one picture per setting and score."""
    for setting, methods in found.items():
        values = [row["value"] for row in next(iter(methods.values()))]
        for score in ("precision", "recall"):
            series = {name: [(row["value"], row[score]) for row in rows] for name, rows in methods.items()}
            axes = Axes((min(values), max(values)), (0, 1))
            text = chart(f"Figure 12: {score} as {setting} varies", setting, score, axes, series, lines=True)
            (output / f"figure_12_{setting}_{score}.svg").write_text(text)


def patterns(output: Path, index: CorpusIndex, evidence: list[PatternImpurities]) -> None:
    """Figure 13: how many patterns columns have, and how the coverage of patterns is distributed."""
    sizes = Counter(min(int(np.log2(len(e.keys))), 13) for e in evidence if len(e.keys))
    counts = {f"{2**k}+": float(sizes.get(k, 0)) for k in range(14)}
    (output / "figure_13_patterns.svg").write_text(bars("Figure 13a: columns by number of patterns", "columns", counts))
    covered, times = np.unique(np.asarray(index.columns[index.columns > 0]), return_counts=True)
    series = {"patterns": [(float(x), float(y)) for x, y in zip(covered, times, strict=True)]}
    axes = Axes((1, float(covered.max())), (1, float(times.max())), log_x=True, log_y=True)
    text = chart("Figure 13b: patterns by coverage", "columns of the corpus", "patterns", axes, series, lines=False)
    (output / "figure_13_coverage.svg").write_text(text)


if __name__ == "__main__":
    main()
