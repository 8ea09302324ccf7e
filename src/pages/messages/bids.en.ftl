# The bids on a call.

bids-title = Bids
bids-of-call = Who bid, for how much
bids-none = The publisher states no bids of this call.
bids-count =
    { $count ->
        [one] { $count } bid
       *[other] { $count } bids
    } from { $bidders ->
        [one] { $bidders } supplier
       *[other] { $bidders } suppliers
    }, { $procedure }.
bids-spread = The highest bid in dollars is { $share } above the lowest.
bids-procedure-open = in an open call
bids-procedure-invitation = by invitation
bids-procedure-direct = in a direct award
bids-procedure-other = by a procedure that is neither an open call nor an invitation
bids-note-invitation = Notices of calls by invitation often list the winner only.
bids-note-direct = A direct award lists its supplier as the only bidder; there was no competition.
bids-note-repeated =
    { $count ->
        [one] One row repeats a bid that is already listed; the figures count it once.
       *[other] { $count } rows repeat bids that are already listed; the figures count them once.
    }
bids-note-lots = The call has lots, or a supplier made several different bids: the amounts are prices of different things and are not compared.
bids-note-flags = The notice does not state which bids were admissible.
bids-note-cut = The { $shown } lowest of { $count } bids; the file has all of them.
bids-more = Further notices of this solicitation that list bids:
bids-supplier = Supplier
bids-amount = Bid
bids-result = Result
bids-admissible = Admissible
bids-conforming = Conforming
bids-above-lowest = Above the lowest
bids-outcome-won = Won
bids-outcome-rejected = Rejected
bids-outcome-lost = Did not win
bids-yes = yes
bids-no = no
bids-not-stated = not stated
bids-no-amount = no amount stated
bids-per-year = { $amount } a year
bids-per-hour = { $amount } an hour
bids-percent = { $number }%
bids-points = { $number } points
bids-other-unit = { $number }, in the publisher’s unit { $code }
bids-distance = { $amount } ({ $share })
bids-lowest = lowest
bids-csv = These bids as CSV
bids-chart-title = Bids in dollars, the lowest first
bids-chart-about = { $count ->
    [one] { $count } bid
   *[other] { $count } bids
} in dollars from { $from } to { $to }. The table has each of them.
bids-chart-logarithmic = The axis is logarithmic: equal distances are equal factors.
bids-dot-won = { $name }: { $amount }, won
bids-dot-rejected = { $name }: { $amount }, rejected
bids-dot-lost = { $name }: { $amount }
bids-legend-won = Won
bids-legend-rejected = Rejected
bids-legend-lost = Did not win
bids-legend-spread = Spread, from the lowest to the highest

## The bids of a supplier.
bidder-about = Only some publishers state who bid and lost. Rates and rivals are those of open calls.
bidder-open = Open calls
bidder-calls = { $count }: { $won } won, { $lost } not
bidder-rate = Share won
bidder-rate-of = { $share } (95% interval: { $low } to { $high })
bidder-distance = Distance where not won
bidder-distance-of = half were at most { $amount } ({ $share }) above the winner, of { $count ->
        [one] { $count } call
       *[other] { $count } calls
    } with both amounts
bidder-distance-below = half were at least { $amount } ({ $share }) below the winner, of { $count ->
        [one] { $count } call
       *[other] { $count } calls
    } with both amounts
bidder-invitations = Calls by invitation
bidder-direct = Direct awards, which are no competition
bidder-rivals = Rivals, those met most often
bidder-common = Calls in common
bidder-won-here = Won by this supplier
bidder-won-there = Won by the rival
bidder-rivals-note = The { $listed } met most often of { $count } rivals.
bidder-pair = Both bid on { $count ->
        [one] { $count } open call
       *[other] { $count } open calls
    }: { $first } won { $first_won }, { $second } won { $second_won }, and { $others } went to neither.
bidder-pair-csv = The newest of these calls as CSV, up to 50
bidder-no-records = No contract or award names this supplier. Publishers state it as a bidder.
bidder-none = No publisher states a bid of this supplier. Only some publishers state who bid.
bidder-by-years = Open calls by year
bidder-by-bodies = Open calls by body
bidder-by-classes = Open calls by commodity class
bidder-body = Body
bidder-class = Class
bidder-won = Won
bidder-csv = The bids as CSV
bidder-csv-note = (the newest, as many as the plan allows in one page; the Link header leads to the next file)
bidder-whole = All bids as one file, with a key of a paid plan

## The calls of a body or of a commodity.
calls-title = Who bid
calls-none = Publishers state no bids for these calls. Only some publishers state who bid.
calls-no-match = No stated bid matches. Only some publishers state who bid.
calls-other-years = Bids on such calls are stated for { $years }.
calls-open =
    { $count ->
        [one] { $count } open call
       *[other] { $count } open calls
    } with bids: half had at most { $median ->
        [one] { $median } bidder
       *[other] { $median } bidders
    }; on average { $mean }. One bidder only: { $share }.
calls-invitation =
    { $count ->
        [one] { $count } call
       *[other] { $count } calls
    } by invitation, where many notices list the winner only: half had at most { $median ->
        [one] { $median } bidder
       *[other] { $median } bidders
    }; on average { $mean }. One bidder only: { $share }.
calls-open-single = 1 open call with bids, of { $bidders ->
        [one] { $bidders } bidder
       *[other] { $bidders } bidders
    }.
calls-invitation-single = 1 call by invitation with bids, of { $bidders ->
        [one] { $bidders } bidder
       *[other] { $bidders } bidders
    }; many such notices list the winner only.
calls-direct =
    { $count ->
        [one] { $count } direct award, which is
       *[other] { $count } direct awards, which are
    } no competition.
calls-by-year = Open calls by year
calls-median = Median of bidders
calls-one-of = { $count }, that is { $share }
calls-one-bidder = One bidder only
calls-bidders = Who bid most
calls-bidders-note = Of { $all ->
        [one] { $all } bidder
       *[other] { $all } bidders
    } in open calls; a supplier with several names is one.
calls-won = Won
calls-never-won = Suppliers that bid and never won
calls-never-won-note =
    { $count } of { $all } bidders won none of the open calls; those with most calls are listed.
calls-bid-on = Open calls bid on
calls-csv = These figures as CSV

## A search over bids.
bids-page-about = Bids on calls for tenders, those that did not win too. Only some publishers state who bid: calls without stated bids are not here.
bids-page-words = Words of the call
bids-page-bidder = Part of the bidder’s name
bids-page-count = { $count ->
        [one] { $count } bid
       *[other] { $count } bids
    } on { $calls ->
        [one] { $calls } call for tenders
       *[other] { $calls } calls for tenders
    }.
bids-page-tenders = All calls for tenders with these words and conditions, also those without stated bids
bids-page-newest = The bids, the newest call first
bids-page-call = Call for tenders
bids-page-date = Published
bids-page-won-true = won
bids-page-won-false = did not win
bids-page-method-open = open call
bids-page-method-invitation = by invitation
bids-page-method-direct = direct award
bids-page-method-other = another procedure
