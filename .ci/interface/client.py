"""Makes a client of the served description with openapi-python-client, and searches with it."""

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
from procure_client.api.contract import coverage_of_contract, get_contract, search_contract  # noqa: E402
from procure_client.api.service import get_health, list_sources  # noqa: E402
from procure_client.models import Contract, ContractPage, Error, SearchContractCategory  # noqa: E402

client = AuthenticatedClient(base_url=address, token=key, prefix="", auth_header_name="x-gateway-key")

first = search_contract.sync(client=client, q="déneigement", limit=3)
assert isinstance(first, ContractPage) and first.count == len(first.results) == 3, first
assert all(isinstance(record, Contract) and record.record_id for record in first.results)

following = search_contract.sync(client=client, q="déneigement", limit=3, cursor=first.next_cursor)
met = {record.record_id for record in first.results}
assert following.count == 3 and not met & {record.record_id for record in following.results}, following

record = get_contract.sync(first.results[0].record_id, client=client)
assert record == first.results[0], record

slugs = coverage_of_contract.sync(client=client)
filtered = search_contract.sync(client=client, municipality=slugs.results[0].municipality, category=SearchContractCategory.SRV)
assert filtered.count == 0 or filtered.results[0].municipality == slugs.results[0].municipality, filtered

refused = search_contract.sync(client=client, municipality="montrael")
assert isinstance(refused, Error) and "nearest is 'montreal'" in refused.detail, refused
locked = search_contract.sync_detailed(client=Client(base_url=address))
assert locked.status_code == 403, locked

health, sources = get_health.sync(client=Client(base_url=address)), list_sources.sync(client=client)
assert health.status == "ok" and sources.count == len(sources.sources) > 5, (health, sources)
print(f"a generated client met {first.count + following.count} contracts, one of them by its id, and {sources.count} sources")
