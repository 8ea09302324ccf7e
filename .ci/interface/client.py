"""Generates a client from the served OpenAPI document with openapi-python-client, and searches with it."""

import os
import subprocess
import sys
from pathlib import Path

address, key, folder = os.environ["PROCURE_URL"], os.environ["PROCURE_KEY"], Path(sys.argv[1])

(folder / "client.yml").write_text("post_hooks: []\n")
generator = ["openapi-python-client", "generate", "--url", f"{address}/openapi.json", "--meta", "none", "--overwrite"]
generator += ["--fail-on-warning", "--config", str(folder / "client.yml"), "--output-path", str(folder / "procure_client")]
subprocess.run(generator, check=True)

sys.path.insert(0, str(folder))
from procure_client import AuthenticatedClient, Client  # noqa: E402
from procure_client.api.contract import coverage_of_contract, get_contract, search_contract, stats_of_contract  # noqa: E402
from procure_client.api.parties import get_procurement, get_vendor, list_departments, list_vendors  # noqa: E402
from procure_client.api.pro import compare_tenders, estimate_tenders, feed_of_tenders  # noqa: E402
from procure_client.api.service import get_health, list_sources  # noqa: E402
from procure_client.api.tender import search_tender  # noqa: E402
from procure_client.models import CompsRequest, Contract, ContractPage, Error, EstimateRequest, ListDepartmentsEntityType  # noqa: E402

client = AuthenticatedClient(base_url=address, token=key, prefix="", auth_header_name="x-gateway-key")

first = search_contract.sync(client=client, q="déneigement", limit=3)
assert isinstance(first, ContractPage) and first.count == len(first.results) == 3, first
assert all(isinstance(record, Contract) and record.record_id for record in first.results)

following = search_contract.sync(client=client, q="déneigement", limit=3, cursor=first.next_cursor)
seen = {record.record_id for record in first.results}
assert following.count == 3 and not seen & {record.record_id for record in following.results}, following

record = get_contract.sync(first.results[0].record_id, client=client)
assert record == first.results[0], record

slugs = coverage_of_contract.sync(client=client)
filtered = search_contract.sync(client=client, municipality=slugs.results[0].municipality, category="SRV")
assert filtered.count == 0 or filtered.results[0].municipality == slugs.results[0].municipality, filtered

counted = search_contract.sync(client=client, limit=1, include_total=True, facets="vendor,year")
assert counted.total > counted.count and counted.facets.vendor.distinct > 50 == len(counted.facets.vendor.values), counted
stats = stats_of_contract.sync(client=client)
assert stats.total == counted.total >= sum(year.count for year in stats.by_year), "records without a date count for no year"
assert stats.value.min_ <= stats.value.p50 <= stats.value.max_ and not stats.fields[0].presence < 1, stats.value

vendors = list_vendors.sync(client=client, q=first.results[0].vendor_name)
vendor = get_vendor.sync(vendors.results[0].vendor, client=client, limit=2)
assert vendor.total_contracts == vendors.results[0].contracts and isinstance(vendor.contracts[0], Contract), vendor
assert list_departments.sync(client=client, entity_type=ListDepartmentsEntityType.TENDER).count > 0
numbered = next(record for record in search_contract.sync(client=client, municipality="federal").results if record.solicitation_number)
procurement = get_procurement.sync(numbered.solicitation_number, client=client)
assert procurement.count and procurement.contract and procurement.timeline[0].date, procurement

feed = feed_of_tenders.sync(client=client, days_back=90, keywords="services,travaux")
assert feed.count == len(feed.results) and all(item.matched_keywords for item in feed.results), feed
tenders = [record.record_id for record in search_tender.sync(client=client, limit=2).results]
estimates = estimate_tenders.sync(client=client, body=EstimateRequest(record_ids=[*tenders, "nope"]))
assert [result.input_.record_id for result in estimates.results] == [*tenders, "nope"], estimates
comps = compare_tenders.sync(client=client, body=CompsRequest(record_ids=tenders, limit=3))
assert comps.count == 2 and all(len(result.comparables) <= 3 for result in comps.results), comps

refused = search_contract.sync(client=client, municipality="montrael")
assert isinstance(refused, Error) and "nearest is 'montreal'" in refused.detail, refused
locked = search_contract.sync_detailed(client=Client(base_url=address))
assert locked.status_code == 403, locked

health, sources = get_health.sync(client=Client(base_url=address)), list_sources.sync(client=client)
assert health.status == "ok" and sources.count == len(sources.sources) > 5, (health, sources)
print(
    f"a generated client read {first.count + following.count} contracts, one of them by its id, {sources.count} sources, "
    f"{stats.total} contracts in statistics and {vendors.total} vendors"
)
