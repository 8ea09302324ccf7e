"""Splink on the pairs of pairs.csv, as a peer of the rules.

It reads what publishers state about suppliers, as `procure normalize` wrote it next to the dumps, and learns by itself;
it sees no pair before it answers. Not a part of the tests.

    pip install splink pyarrow
    python3 tests/identity/splink_pairs.py DUMPS/suppliers.ndjson
"""

import collections
import csv
import json
import pathlib
import re
import resource
import sys
import time
import unicodedata

import duckdb
import pyarrow
import splink.comparison_library as compare
from splink import Linker, SettingsCreator, block_on
from splink.backends.duckdb import DuckDBAPI

LEGAL_FORMS = set(
    "inc ltee limitee ltd limited enr enrg corp corporation senc sencrl srl llp lp ulc cie co company compagnie sec".split()
)


def fold(text):
    text = unicodedata.normalize("NFKD", text.lower())
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[^a-z0-9&]+", " ", text).split())


def core(key):
    """The name without legal forms."""
    return " ".join(word for word in key.split() if word not in LEGAL_FORMS) or key


def names(path):
    """A row for each name: its core, and its most frequent number, postal code and city."""
    found = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for line in open(path, encoding="utf-8"):
        mention = json.loads(line)
        members = found[fold(mention["name"])]
        if "other_name" in mention:
            found[fold(mention["other_name"])]
            continue
        for member in ("number", "postal_code", "city"):
            if mention.get(member):
                members[member][mention[member]] += mention["count"]

    def best(members, member):
        counts = members[member].most_common(1)
        return counts[0][0] if counts else None

    columns = {name: [] for name in ("unique_id", "core", "number", "postal_code", "city")}
    for key, members in sorted(found.items()):
        city = best(members, "city")
        row = (key, core(key), best(members, "number"), best(members, "postal_code"), city and fold(city))
        for column, value in zip(columns.values(), row):
            column.append(value)
    return pyarrow.table(columns)


def main():
    started = time.process_time()
    table = names(sys.argv[1])
    api = DuckDBAPI(connection=duckdb.connect())
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            compare.JaroWinklerAtThresholds("core", [0.97, 0.93, 0.88, 0.8]),
            compare.ExactMatch("number"),
            compare.ExactMatch("postal_code"),
            compare.ExactMatch("city"),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("number"),
            block_on("postal_code"),
            block_on("core"),
            block_on("substr(core, 1, 4)", "city"),
        ],
    )
    linker = Linker(api.register(table), settings)
    training = linker.training
    training.estimate_probability_two_random_records_match([block_on("core", "city")], recall=0.6)
    training.estimate_u_using_random_sampling(max_pairs=2e6)
    training.estimate_parameters_using_expectation_maximisation(block_on("postal_code"))
    training.estimate_parameters_using_expectation_maximisation(block_on("core"))
    predicted = linker.inference.predict(threshold_match_probability=0.05).as_duckdbpyrelation()
    columns = "unique_id_l, unique_id_r, match_probability"
    probability = {tuple(sorted((left, right))): share for left, right, share in predicted.select(columns).fetchall()}
    pairs = list(csv.DictReader(open(pathlib.Path(__file__).with_name("pairs.csv"), encoding="utf-8")))
    read = [pair for pair in pairs if pair["reader_1"] == pair["reader_2"] and pair["reader_1"] != "unsure"]
    print("names", table.num_rows)
    for least in (0.99, 0.95, 0.9, 0.5):
        joined = same = both = 0
        for pair in read:
            key = tuple(sorted((fold(pair["a"]), fold(pair["b"]))))
            is_joined, is_same = probability.get(key, 0) >= least, pair["reader_1"] == "same"
            joined, same, both = joined + is_joined, same + is_same, both + (is_joined and is_same)
        precision = 100 * both / joined if joined else float("nan")
        print(f"probability {least}: joined {joined}, precision {precision:.1f} %, recall {100 * both / same:.1f} %")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"processor {time.process_time() - started:.1f} s, memory {memory:.0f} MB")


if __name__ == "__main__":
    main()
