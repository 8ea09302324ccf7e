"""Rules of the service that a JSON schema cannot state.

The server rightly refuses a request that fits the schema and breaks one of these rules, with a declared status. The hooks
recognize such a refusal by its error text. Every other refusal of valid data, and every acceptance of invalid data, is still
a failure.
"""

import base64
import binascii
import json
import re
import unicodedata

import requests
import schemathesis
from schemathesis import GenerationMode

RULES = {
    "a slug must have records of the entity type": r"parameter '(municipality|city)': '.*' is (not one of|invalid|unknown)",
    "a list of values has a value next to its commas": r"parameter '\w+': '[ ,]*,[ ,]*' is not one of",
    "a parameter is given under one of its names only": r"given twice, also as '",
    "bounds are in order": r"parameter '\w+': \S+ is (more|later) than ",
    "a cursor comes from a previous response": r"parameter 'cursor': invalid cursor '",
    "a cursor continues its own search only": r"parameter 'cursor': it belongs to a search with other filters",
    "a cursor is for an order by date": r"parameter '(cursor|after)': not allowed with sort_by=(value|relevance)",
    "relevance is that of a text, the best first": r"parameter 'sort_(by|order)': '(relevance' needs a word in 'q'|asc' is not allowed with sort_by=relevance)",
    "a commodity code is on a level of its scheme": r"parameter '(commodity|parent)': '.*' is not a commodity code",
    "a cursor is not combined with an offset": r"parameter 'cursor': not allowed with 'offset'",
    "a name has a minimum of letters and digits": r"parameter '(department|vendor)': '.*' is too short",
    "a method has a letter or a digit": r"parameter 'procurement_method': '.*' has no letter or digit",
    "q has a maximum of words": r"parameter 'q': the text has \d+ words",
    "a vendor's name has a minimum of letters and digits": r"parameter 'q': '.*' (is too short|has no letter or digit)",
    "a keyword has letters or digits and is not an operator": r"parameter 'keywords': ",
    "a batch has 1 to 50 items": r"the body has \d+ items",
    "an item's text has letters or digits": r"member '[^']+': ('.*' (is too short|has no letter or digit|has \d+ characters)|is empty|give )",
    "a list has a maximum of elements": r"member '[^']+': has over \d+ elements",
    "a subscription has a maximum of keywords": r"member 'keywords': \d+ keywords were given",
    "a subscription needs an address, in the query or in the body": r"parameter 'email' is required",
    "an address is one that mail servers accept": r"(parameter|member) 'email': the text ",
    "a subscription's keyword is a word or a phrase": r"(parameter|member) 'keywords?(\[\d+\])?': the text ",
    "a subscription's department has a minimum of letters and digits": r"member 'department': '.*' is too short",
    "a subscription's department is no link": r"(parameter|member) 'department': the text ",
    "query and body agree": r"parameter '\w+': differs from the value in the body",
    "a token has a character that is not blank": r"parameter 'token' is required",
    "an index is one that exists": r"parameter 'generation': '.*' is not the id of an index",
    "a supplier is one of the list": r"parameter 'supplier': no supplier has the id '",
    "a body is one of the list": r"parameter 'body': no body has the id '",
    "a batch of a reconciliation is a JSON object": r"`(queries|extend)` is not an? (JSON )?object",
    "a name has a letter or a digit": r"parameter '(name|prefix|method|a|b)': '.*' has no letter or digit",
    "bids are figures of a vendor, a department or a commodity": r"parameter 'include': 'bids' is a figure of",
    "a name has a character that is not blank": r"parameter '[abq]' is required",
    "a comparison is of two suppliers": r"parameters 'a' and 'b' name the same supplier",
    "a Parquet file does not go on": r"a Parquet file cannot go on where it broke",
    "a list of departments needs a name or an entity type": r"one of the parameters 'q' and 'entity_type' is required",
}

# Path segments after an entity type that name endpoints, not record ids. Requests to them reach another operation.
ENDPOINTS = ("stats", "coverage", "export", "feed", "estimate", "comps", "alerts")

# The smallest maximum that an endpoint has for its body. A schema cannot state a size in bytes.
MAX_BODY_BYTES = 4096

BOUNDS = [
    ("value_min", "value_max"),
    ("issued_after", "issued_before"),
    ("closing_after", "closing_before"),
    ("ending_after", "ending_before"),
    ("amount_min", "amount_max"),
]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts: a refusal by one of the rules above does not."""
    if (case.path_parameters or {}).get("record_id") in ENDPOINTS:
        return False
    if type(failure).__name__ == "AcceptedNegativeData" and (is_padded(case) or folds_longer(case)):
        return False
    if response.status_code == 413 and len(response.request.body or b"") > MAX_BODY_BYTES:
        return False
    if type(failure).__name__ != "RejectedPositiveData" or response.status_code not in (400, 422):
        return True
    body = response.content if case.method.upper() != "HEAD" else body_of_get(response.request)
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError):
        return True
    return not any(re.search(rule, detail, re.DOTALL) for rule in RULES.values())


def is_padded(case):
    """Whether a parameter's value has blanks around it. The server trims them, so the rest may be valid."""
    return any(text != text.strip() for text in texts_of(case))


def folds_longer(case):
    """Whether a parameter's value has a character that stands for several, such as `½` or `Æ`. The server counts those."""
    return any(len(folded(text)) > len(text) for text in texts_of(case))


def folded(text):
    """The text with such characters written out, as in `model/fold.rs`: `½` is `1⁄2`, `Æ` is `ae`, `ß` is `ss`."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return text.replace("æ", "ae").replace("œ", "oe")


def texts_of(case):
    values = (case.query or {}).values()
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return [text for text in texts if isinstance(text, str)]


def body_of_get(request):
    """The body that the response to a HEAD request leaves out."""
    return requests.get(request.url, headers=request.headers, timeout=10).content


@schemathesis.hook
def before_call(context, case, kwargs):
    """Removes from valid requests what one of the rules would nearly always refuse, so that the server answers most of them."""
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE or not isinstance(case.query, dict):
        return
    cursor = case.query.get("cursor")
    if cursor and not is_from_server(cursor):
        del case.query["cursor"]
    given = {}
    for parameter in case.operation.query:
        name = parameter.name
        alias_of = re.match(r"Another name of `(\w+)`", parameter.definition.get("description", ""))
        meaning = alias_of[1] if alias_of else name
        if name in case.query and meaning in given:
            del case.query[name]
        elif case.query.get(name):
            given[meaning] = name
    for low, high in BOUNDS:
        if low in given and high in given and not in_order(case.query[given[low]], case.query[given[high]]):
            del case.query[given[high]]


def in_order(low, high):
    """Whether two numbers, or two days, are in order as the bounds of a range."""
    try:
        return float(low) <= float(high)
    except ValueError:
        return str(low) <= str(high)


def is_from_server(cursor):
    """Whether a cursor looks like one from the server. Those begin with their version."""
    try:
        return base64.urlsafe_b64decode(str(cursor) + "==")[:1] == b"\x01"
    except (binascii.Error, ValueError):
        return False
