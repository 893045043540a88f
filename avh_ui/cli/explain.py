"""`avh explain`: what a metric means, in plain words."""

from __future__ import annotations

from dataclasses import asdict

import click

from avh_ui.cli.options import json_option
from avh_ui.cli.output import print_json, print_table, say


@click.command("explain")
@click.argument("metric", required=False)
@json_option
def command(metric: str | None, as_json: bool) -> None:
    """Say what a METRIC means; without one, list all.

    The words are those of the metric's declaration: what it means, a rule on it as an example, and its definition. What a report says of
    the batch as a whole (how_read, malformed_rows) is explained, too.
    """
    from avh_ui.review.batch_rules import BATCH_RULES
    from avh_ui.review.glossary import entry, glossary

    if metric is None:
        found = glossary()
        if as_json:
            print_json([asdict(one) for one in found])
        else:
            print_table(["metric", "what it means"], [[one.name, one.means] for one in found])
        return
    if (rule := BATCH_RULES.get(metric.strip().lower().replace(" ", "_"))) is not None:
        print_json(asdict(rule)) if as_json else say(f"{rule.name}: {rule.means}; {rule.do}.")
        return
    one = entry(metric, BATCH_RULES)
    if as_json:
        print_json(asdict(one))
        return
    say(f"{one.name}: {one.means}")
    if one.rule:
        say(f"A rule on it reads: {one.rule}")
    say(f"Definition: {one.definition}; {'of a batch and the one before' if one.compares else 'of one batch'}.")
    if not one.kinds:
        say("It is of the batch as a whole, whatever its columns are.")
    elif "rows" in one.kinds:
        say("For rows, or several columns of them.")
    else:
        say(f"For columns of the kind{'s' * (len(one.kinds) > 1)} {', '.join(one.kinds)}.")
    if one.also:
        say(f"Also called: {', '.join(one.also)}.")
