"""What schemathesis is told beyond the description: the rules that a schema cannot tell.

A valid request that breaks one of them is refused, rightly, with a status the description declares. Such a refusal is accepted here by the
sentence it came with, so that any other refusal of valid data, and any acceptance of invalid data, is still a finding.
"""

import base64
import binascii
import json
import re

import requests
import schemathesis
from schemathesis import GenerationMode

RULES = {
    "a slug must have records of the kind": r"parameter '(municipality|city)': '.*' is (not one of|not accepted|unknown)",
    "a parameter is given under one of its names": r"given twice, also as '",
    "bounds are in order": r"parameter '\w+': \S+ is (more|later) than ",
    "a cursor is one that was handed out": r"parameter 'cursor': '.*' is no cursor",
    "a cursor is for its own search": r"parameter 'cursor': made for other filters or another sort",
    "a cursor is not for sort_by=value": r"parameter 'cursor': not with sort_by=value",
    "a cursor is not combined with an offset": r"parameter 'cursor': not with an offset",
    "a name is measured in letters and digits": r"parameter '(department|vendor)': '.*' is too short",
    "a method is compared by letters and digits": r"parameter 'procurement_method': '.*' holds no letter or digit",
    "q is measured in words": r"parameter 'q': the text has \d+ words",
    "a vendor is asked for by letters and digits": r"parameter 'q': '.*' (is too short|holds no letter or digit)",
    "a keyword has letters or digits, and is no operator": r"parameter 'keywords': ",
    "a batch has 1 to 50 items": r"the body asks about \d+ items",
    "an item's text has letters or digits": r"member '[^']+': ('.*' (is too short|holds no letter or digit|has \d+ characters)|is empty|give )",
    "a body holds so many values": r"the body: it holds over \d+ values",
    "a subscription needs an address, here or there": r"parameter 'email': is required",
    "an address is one that mail servers take": r"(parameter|member) 'email': the text ",
    "a subscription's keyword is a word or a phrase": r"(parameter|member) 'keywords?(\[\d+\])?': the text ",
    "a subscription's department is measured in letters and digits": r"member 'department': '.*' is too short",
    "address and body agree": r"parameter '\w+': the body says something else",
    "departments are asked for by name or by kind": r"one of the parameters 'q' and 'entity_type' is required",
}

# Words behind a kind that are endpoints, and no ids: another operation's answer.
ENDPOINTS = ("stats", "coverage", "feed", "estimate", "comps", "alerts")

BOUNDS = [("value_min", "value_max"), ("issued_after", "issued_before"), ("closing_after", "closing_before")]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure is one; a refusal by a rule above is none."""
    if (case.path_parameters or {}).get("record_id") in ENDPOINTS:
        return False
    if type(failure).__name__ == "AcceptedNegativeData" and is_padded(case):
        return False
    if type(failure).__name__ != "RejectedPositiveData" or response.status_code not in (400, 422):
        return True
    body = response.content if case.method.upper() != "HEAD" else asked_with_get(response.request)
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError):
        return True
    return not any(re.search(rule, detail, re.DOTALL) for rule in RULES.values())


def is_padded(case):
    """Whether blanks stand around a parameter's value: they are no part of it, so that what is left may well be valid."""
    values = (case.query or {}).values()
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return any(isinstance(text, str) and text != text.strip() for text in texts)


def asked_with_get(request):
    """The body that a HEAD leaves out."""
    return requests.get(request.url, headers=request.headers, timeout=10).content


@schemathesis.hook
def before_call(context, case, kwargs):
    """Takes out of valid requests what would nearly always be refused by a rule, so that most of them are answered."""
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE or not isinstance(case.query, dict):
        return
    cursor = case.query.get("cursor")
    if cursor and not was_handed_out(cursor):
        del case.query["cursor"]
    said = {}
    for parameter in case.operation.query:
        name = parameter.name
        known_as = re.match(r"Another name of `(\w+)`", parameter.definition.get("description", ""))
        meaning = known_as[1] if known_as else name
        if name in case.query and meaning in said:
            del case.query[name]
        elif case.query.get(name):
            said[meaning] = name
    for low, high in BOUNDS:
        if low in said and high in said and not in_order(case.query[said[low]], case.query[said[high]]):
            del case.query[said[high]]


def in_order(low, high):
    """Whether two numbers, or two days, may be the bounds of a range."""
    try:
        return float(low) <= float(high)
    except ValueError:
        return str(low) <= str(high)


def was_handed_out(cursor):
    """Whether a cursor looks like one of the service's, which begin with their version."""
    try:
        return base64.urlsafe_b64decode(str(cursor) + "==")[:1] == b"\x01"
    except (binascii.Error, ValueError):
        return False
