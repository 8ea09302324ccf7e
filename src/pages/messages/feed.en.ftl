# The page of new tenders, the subscription to them, and what visitors see of pages that their plan does not include.

feed-title = New tenders for your words
feed-about = Open calls for tenders that were published in the last days, each once, however many notices it has.
feed-form-label = New tenders
feed-keywords = Words or phrases, separated by commas
feed-keywords-hint = A tender matches if its title or description has one of them. Example: snow removal, déneigement
feed-place = City or government
feed-place-any = Any
feed-published = Published in the last
feed-days = { $count ->
    [one] { $count } day
   *[other] { $count } days
}
feed-language = Language of the notice
feed-language-both = English or French
feed-language-en = English
feed-language-fr = French
feed-translate = Your words
feed-translate-both = in both languages
feed-translate-own = only as written
feed-show = Show tenders
feed-count = { $count ->
    [0] No new open tender since { $since }
    [one] { $count } new open tender since { $since }
   *[other] { $count } new open tenders since { $since }
}
feed-count-page = { $count ->
    [0] No further open tender since { $since }
    [one] { $count } open tender on this page, published since { $since }
   *[other] { $count } open tenders on this page, published since { $since }
}
feed-none = No open tender matches. You can try:
feed-try-longer = the last 90 days
feed-try-without-words = all words
feed-try-everywhere = all cities and governments
feed-closing = Closes
feed-closes-today = { $date }, today
feed-closes = { $date }, { $count ->
    [one] in { $count } day
   *[other] in { $count } days
}
feed-value = Value
feed-value-estimate = about { $value }, estimated
feed-value-unknown = not published, and too few comparable contracts for an estimate
feed-worth = What is it worth?
feed-worth-of = Estimate of
feed-published-on = Published
feed-others = { $count ->
    [one] (and { $count } other notice)
   *[other] (and { $count } other notices)
}
feed-matched = Your words
feed-next = Next tenders

## The subscription by e-mail.
feed-subscribe-title = Get new tenders by e-mail
feed-subscribe-about = A mail lists the new tenders that meet the conditions above. There is no mail if there is nothing new.
feed-subscribe-without = The minimum value and the type of notice are not part of a subscription: the mails list tenders of any value and type.
feed-email = E-mail address
feed-frequency = How often
feed-frequency-daily = At most once a day
feed-frequency-weekly = At most once a week
feed-consent = By subscribing, you agree to receive e-mail about new public tenders at this address. If the address is new here, it first gets one mail with a link that confirms the subscription. Every mail has a link that ends it at once.
feed-subscribe = Subscribe
feed-not-subscribed-title = The subscription was not stored
feed-subscribed-done = Thank you. If this address has not been confirmed before, it gets a mail with a link. Open the link within 7 days: without that, no tender is sent.
feed-subscribed-end = Every mail has a link that ends the subscription at once.
feed-subscribed-email = This is not an e-mail address to which mail can be sent. Go back and check its spelling.
feed-subscribed-conditions = A condition cannot be part of a subscription. Change it and try again.
feed-subscribed-link = A word or the buyer looks like a link or an address, which no mail may show. Write blanks instead of dots, slashes and @: they find the same.
feed-subscribed-long = A word or the buyer is too long for a mail. Shorten it to 80 characters.
feed-subscribed-telephone = A word or the buyer looks like a telephone number, which no mail may show. Leave it out.
feed-subscribed-sign = A word or the buyer has a sign that is in no word, such as a picture. Write a blank instead: it finds the same.
feed-subscribed-invisible = A word or the buyer has a control character or an invisible one. Type it again.
feed-subscribed-limit = There are too many subscriptions for this address or this key. End one of them through the link in a mail, or try again tomorrow.
feed-back = Back to the tenders

## The same for programs.
feed-address-title = The address of this feed for programs
feed-address-about = A program that sends your API key in a header gets the same tenders from this address, as JSON. The key is never part of an address. The command line below shows how.

## What visitors see of pages that their plan does not include.
paid-title-feed = New tenders for your words
paid-title-worth = What is this tender worth?
paid-title-export = All rows as one file
paid-about-export = All rows of a search as one file: CSV, CSV for Excel, Parquet or NDJSON.
paid-about-feed = This page lists the new open tenders for your words, each once, with an estimate of its value. It can send them to you by e-mail.
paid-about-worth = This page estimates what a tender is worth: a range, how reliable it is, and the contracts it is compared with.
paid-plan = It is part of the paid plans. Your key has the plan { $plan }.
paid-no-key = It is part of the paid plans. Sign in with the API key of such a plan.
paid-upgrade = See the plans and upgrade
paid-plans = See the plans
paid-sign-in = Sign in
paid-search = Search all tenders
