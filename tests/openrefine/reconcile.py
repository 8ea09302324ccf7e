"""Reconciles names of the sample data with OpenRefine as its users do, and compares the result with the API."""

import csv
import io
import json
import os
import sys
import tempfile
import unicodedata
import urllib.parse
import urllib.request

from refine import Refine

URL, KEY, TOKEN = (os.environ[name] for name in ("PROCURE_URL", "PROCURE_KEY", "PROCURE_TOKEN"))
PROPERTIES = {
    "records": "Records",
    "total_value": "Total value, in Canadian dollars",
    "first_year": "First year",
    "last_year": "Last year",
}
# What the field for names of OpenRefine adds to its requests.
OF_FIELD = {"spell": "always", "exact": "false", "prefixed": "true"}


def fetch(address, **parameters):
    """The text at an address of the manifest, for which OpenRefine's pages send no header."""
    separator = "&" if "?" in address else "?"
    address += separator + urllib.parse.urlencode(parameters) if parameters else ""
    with urllib.request.urlopen(urllib.request.Request(address), timeout=60) as answer:
        assert answer.headers["access-control-allow-origin"] == "*", address
        return answer.read().decode()


def api(path):
    request = urllib.request.Request(URL + path, headers={"x-gateway-key": KEY})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def unaccented(name):
    return "".join(c for c in unicodedata.normalize("NFD", name.upper()) if not unicodedata.combining(c))


def mistyped(name):
    """The name with two exchanged letters at the end of its longest word."""
    longest = max(name.split(), key=len)
    return name.replace(longest, longest[:-2] + longest[-1] + longest[-2], 1)


def variants(parties):
    """Rows of a CSV file: a name, how it is written, and the identifier of its supplier or body."""
    for party in parties:
        yield party["name"], "as published", party["id"]
        yield unaccented(party["name"]), "capitals", party["id"]
        if mistyped(party["name"]) != party["name"]:
            yield mistyped(party["name"]), "mistyped", party["id"]


def check_addresses(manifest, party):
    """Follows the addresses of a manifest as OpenRefine's pages do, which do not resolve them."""
    suggest = manifest["suggest"]
    entity, property_ = (suggest[of]["service_url"] + suggest[of]["service_path"] for of in ("entity", "property"))
    found = json.loads(fetch(entity, prefix=party["name"], **OF_FIELD))["result"]
    assert found[0]["id"] == party["id"], found
    kind = manifest["defaultTypes"][0]["id"]
    found = json.loads(fetch(property_, prefix="year", scoring="schema", type=kind, **OF_FIELD))["result"]
    assert [row["id"] for row in found] == ["first_year", "last_year"], found
    proposed = manifest["extend"]["propose_properties"]
    proposed = json.loads(fetch(proposed["service_url"] + proposed["service_path"], type=kind))["properties"]
    assert PROPERTIES.items() <= {row["id"]: row["name"] for row in proposed}.items(), proposed
    assert "record" in fetch(manifest["preview"]["url"].replace("{{id}}", party["id"]))


def check_service(refine, service, list_path, path):
    address = f"{URL}/reconcile/{TOKEN}/{service}"
    manifest = json.loads(fetch(address))
    parties = [party for party in api(list_path)["results"] if len(party["name"]) < 100]
    check_addresses(manifest, parties[0])
    text = io.StringIO()
    csv.writer(text).writerows([("name", "written", "id"), *variants(parties)])
    project = refine.create(service, text.getvalue())
    kinds = refine.post("guess-types-of-column", {}, project=project, columnName="name", service=address)["types"]
    assert kinds[0]["id"] == service, kinds
    spaces = {space: manifest[space] for space in ("identifierSpace", "schemaSpace")}
    config = spaces | {
        "mode": "standard-service",
        "service": address,
        "type": {"id": kinds[0]["id"], "name": kinds[0]["name"]},
        "autoMatch": True,
        "columnDetails": [],
        "limit": 0,
    }
    refine.process_project("reconcile", project, {"columnName": "name", "config": json.dumps(config)})

    counts = {}
    for values, result in refine.rows(project):
        of_writing = counts.setdefault(values["written"], {"names": 0, "matched": 0, "wrong": 0, "proposed": 0})
        of_writing["names"] += 1
        if result["j"] == "matched":
            of_writing["matched"] += 1
            of_writing["wrong"] += result["m"]["id"] != values["id"]
        else:
            of_writing["proposed"] += values["id"] in [candidate["id"] for candidate in result.get("c", [])]
    for writing, count in counts.items():
        print(f"{service}, {writing}: " + ", ".join(f"{number} {what}" for what, number in count.items()))
        assert count["wrong"] == 0, counts
        found = count["matched"] if writing != "mistyped" else count["matched"] + count["proposed"]
        assert found >= 0.9 * count["names"], counts

    extension = json.dumps({"properties": [{"id": id_, "name": name} for id_, name in PROPERTIES.items()]})
    parameters = spaces | {"baseColumnName": "name", "endpoint": address, "columnInsertIndex": 1}
    refine.process_project("extend-data", project, {"extension": extension}, **parameters)
    added = 0
    for values, result in refine.rows(project):
        if result["j"] == "matched":
            party = api(path + result["m"]["id"])
            for id_, column in PROPERTIES.items():
                assert values[column] == party.get(id_), (values, party)
            added += 1
    assert added > 0
    print(f"{service}: the added columns of {added} rows are those of the API")


with tempfile.TemporaryDirectory() as folder, Refine(sys.argv[1], folder) as openrefine:
    print(f"OpenRefine {openrefine.version}")
    check_service(openrefine, "supplier", "/suppliers?limit=50", "/supplier/")
    check_service(openrefine, "department", "/bodies?limit=20", "/body/")
