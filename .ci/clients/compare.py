"""Compares what the exports and the dumps of the sample server have, as the usual tools read them, with its pages."""

import csv
import datetime
import hashlib
import io
import json
import math
import os
import sys
import tempfile
from pathlib import Path

import duckdb
import jsonschema
import mlcroissant
import pandas
import polars
import pyarrow.parquet
import requests
from frictionless import Package

URL = os.environ["PROCURE_URL"]
LISTS = ["contract", "tender", "award", "disclosure", "standing_offer", "pre_solicitation", "bids", "suppliers"]

session = requests.Session()
session.headers["x-gateway-key"] = os.environ["PROCURE_KEY"]


def get(path, **parameters):
    answer = session.get(f"{URL}/{path}", params=parameters, timeout=120)
    assert answer.ok, f"{path}: {answer.status_code} {answer.text[:300]}"
    return answer


def pages(name):
    """All rows of a list, page by page."""
    rows, cursor = [], None
    while True:
        page = get(name, limit=100, **({"cursor": cursor} if cursor else {})).json()
        rows += page["results"]
        cursor = page.get("next_cursor")
        if not cursor:
            return rows


def as_cell(value):
    """What a cell of CSV is for a value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(member, str) for member in value):
        return "; ".join(value)
    return None if isinstance(value, (dict, list, float)) else json.dumps(value)


def is_same(found, value):
    """Whether a value of a Parquet file is that of a record."""
    if found is None or (isinstance(found, float) and math.isnan(found)) or found is pandas.NaT:
        return value is None
    if hasattr(found, "tolist"):
        found = found.tolist()
    if isinstance(found, (datetime.datetime, pandas.Timestamp)):
        found = found.date()
    if isinstance(found, datetime.date):
        return found.isoformat() == value
    if isinstance(found, str) and not isinstance(value, str):
        return json.loads(found) == value
    return found == value


def compare_rows(tool, name, found, expected):
    assert len(found) == len(expected), f"{tool}, {name}: {len(found)} rows, not {len(expected)}"
    for row, record in zip(found, expected):
        other = json.loads(row.pop("other_members") or "{}") if isinstance(row.get("other_members"), str) else {}
        row.pop("other_members", None)
        for column, value in row.items():
            if column in ("supplier_id", "supplier_name") and column not in record:
                continue
            value_there = record.get(column)
            if column in other:
                value = other[column]
            assert is_same(value, value_there), f"{tool}, {name}, {column}: {value!r}, not {value_there!r}"
        missing = {key for key in record if record[key] is not None} - set(row) - set(other)
        assert not missing, f"{tool}, {name}: {missing} are missing"


def compare_list(name):
    expected = pages(name)
    text = get(f"{name}/export").text
    assert [json.loads(line) for line in text.splitlines()] == expected, f"{name} as NDJSON"
    content = get(f"{name}/export", format="csv").content
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert len(rows) == len(expected), f"{name} as CSV"
    for row, record in zip(rows, expected):
        for column, cell in row.items():
            value = as_cell(record.get(column))
            is_right = value == cell if value is not None else json.loads(cell) == record[column]
            assert is_right, f"CSV, {name}, {column}: {cell!r}"
    if expected:
        assert len(pandas.read_csv(io.BytesIO(content), dtype=str)) == len(expected), f"{name}: pandas and CSV"
    file = io.BytesIO(get(f"{name}/export", format="parquet").content)
    compare_parquet(name, file, expected)
    print(f"{name}: {len(expected)} rows are the same as NDJSON, CSV and Parquet")


def compare_parquet(name, file, expected):
    compare_rows("pyarrow", name, pyarrow.parquet.read_table(file).to_pylist(), expected)
    file.seek(0)
    compare_rows("Polars", name, polars.read_parquet(file).to_dicts(), expected)
    file.seek(0)
    compare_rows("pandas", name, pandas.read_parquet(file, dtype_backend="pyarrow").to_dict("records"), expected)
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        Path(copy.name).write_bytes(file.getvalue())
        found = duckdb.sql(f"SELECT * FROM '{copy.name}'").fetchall()
        columns = duckdb.sql(f"DESCRIBE SELECT * FROM '{copy.name}'").fetchall()
    compare_rows("DuckDB", name, [dict(zip([column[0] for column in columns], row)) for row in found], expected)


def check_data_package(package):
    """Against the JSON schemas of the standard: version 1, its resources too, and version 2, which has them all in one."""
    schemas = Path(os.environ["DATA_PACKAGE_SCHEMAS"])

    def check(value, schema):
        schema = json.loads(Path(schemas, schema).read_text())
        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft4Validator)
        errors = [f"{error.json_path}: {error.message}" for error in kind(schema).iter_errors(value)]
        assert not errors, errors
        assert list(kind(schema).iter_errors({})), "a schema that refuses nothing"

    check(package, "datapackage/profiles/data-package.json")
    for resource in package["resources"]:
        check(resource, "datapackage/profiles/data-resource.json")
    check(package, "check_datapackage/schemas/data-package-2-0.json")


def check_dump():
    """The files that the server offers: their sums, and both descriptors."""
    package = get("exports/datapackage.json").json()
    with tempfile.TemporaryDirectory() as folder:
        for resource in package["resources"]:
            content = get(f"exports/{resource['path']}").content
            assert len(content) == resource["bytes"], resource["path"]
            assert hashlib.sha256(content).hexdigest() == resource["hash"].removeprefix("sha256:"), resource["path"]
            Path(folder, resource["path"]).write_bytes(content)
            part = session.get(f"{URL}/exports/{resource['path']}", headers={"range": "bytes=4-99"}, timeout=60)
            assert part.status_code == 206 and part.content == content[4:100], resource["path"]
        for name in ["datapackage.json", "croissant.json", "SHA256SUMS"]:
            Path(folder, name).write_bytes(get(f"exports/{name}").content)
        check_data_package(package)
        errors = list(Package.metadata_validate(package))
        assert not errors, errors
        described = Package(Path(folder, "datapackage.json").as_posix())
        assert len(described.resources) == len(package["resources"])
        dataset = mlcroissant.Dataset(jsonld=Path(folder, "croissant.json").as_posix())
        assert not dataset.metadata.ctx.issues.errors, dataset.metadata.ctx.issues.report()
        for name in ["contract", "bids"]:
            expected = pages(name)
            found = list(dataset.records(record_set=name))
            assert len(found) == len(expected), f"Croissant reads {len(found)} rows of {name}"
            first = "record_id"
            ids = [row[f"{name}/{first}"] for row in found]
            ids = [text.decode() if isinstance(text, bytes) else text for text in ids]
            assert ids == [row[first] for row in expected], f"Croissant, {name}"
    print(f"{len(package['resources'])} files of the dump are whole; the schemas of Data Packages, frictionless and mlcroissant accept their descriptors")


for list_name in LISTS:
    compare_list(list_name)
check_dump()
