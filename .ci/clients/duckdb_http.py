"""Reads the offered files of the sample server with DuckDB over HTTP. Its extension is on PyPI for one version only."""

import os
from importlib.resources import files

import duckdb
import requests

extension = files("duckdb_extension_httpfs") / "extensions" / f"v{duckdb.__version__}" / "httpfs.duckdb_extension"
url, key = os.environ["PROCURE_URL"], os.environ["PROCURE_KEY"]
connection = duckdb.connect()
connection.sql(f"LOAD '{extension}'")
connection.sql(f"CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {{'x-gateway-key': '{key}'}})")
found = connection.sql(f"SELECT count(*) FROM '{url}/exports/contract.parquet'").fetchone()[0]
stated = requests.get(f"{url}/contract/stats", headers={"x-gateway-key": key}, timeout=60).json()["total"]
assert found == stated, f"{found} contracts, not {stated}"
vendors = connection.sql(f"SELECT vendor_name, count(*) FROM '{url}/exports/contract.parquet' GROUP BY ALL ORDER BY ALL").fetchall()
assert sum(count for _, count in vendors) == stated
print(f"DuckDB reads {found} contracts over HTTP")
