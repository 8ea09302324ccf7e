"""Runs the programs of a page: each fenced block whose first line names a file, in the order of the page."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = {
    ".sh": ["sh"],
    ".py": [sys.executable],
    ".mjs": ["node"],
    ".R": ["Rscript"],
    ".sql": [sys.executable, "-c", "import duckdb, pathlib, sys; print(duckdb.sql(pathlib.Path(sys.argv[1]).read_text()))"],
}

# What a program needs besides its command.
NEEDS = {".sh": ["curl", "jq"], ".R": ["Rscript"], ".mjs": ["node"]}

page = Path(sys.argv[1]).read_text()
programs = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
assert len(programs) >= 8, f"only {len(programs)} programs were found in the page"
failures = []
with tempfile.TemporaryDirectory() as folder:
    for name, text in programs:
        end = Path(name).suffix
        missing = [tool for tool in NEEDS.get(end, []) if shutil.which(tool) is None]
        if missing:
            print(f"SKIPPED: {name}, because {' and '.join(missing)} is missing")
            continue
        Path(folder, name).write_text(text)
        ran = subprocess.run([*COMMANDS[end], name], cwd=folder, capture_output=True, text=True, timeout=300)
        printed = ran.stdout.strip()
        # A program that prints nothing has found nothing, except the one that saves a file.
        is_right = ran.returncode == 0 and (printed or Path(folder, "contracts.parquet").exists())
        print(f"-- {name}: {'ok' if is_right else 'FAILED'}\n{printed[:600]}\n{ran.stderr[:2000]}".rstrip())
        failures += [] if is_right else [name]
sys.exit(f"failed: {', '.join(failures)}" if failures else 0)
