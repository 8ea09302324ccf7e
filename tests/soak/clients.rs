//! Clients that change something or reach a limit: quotas, rates, revocations, subscriptions.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chrono::Utc;
use serde_json::json;

use crate::{
    builds::ALERT_WORD,
    http::{Client, Request},
    installation::Installation,
    mail::Wish,
    random::Random,
    world::{KEYS_LIMIT, World, lock},
};

/// The limits of the plans during a run, for `--plans`.
pub const PLANS: &str = "
[BASIC]
requests_per_minute = 60_000
requests_per_day = 60
[PRO]
requests_per_minute = 120
requests_per_day = 1_000_000_000
[ULTRA]
requests_per_minute = 1_000_000
requests_per_day = 1_000_000_000
[MEGA]
requests_per_minute = 1_000_000
requests_per_day = 1_000_000_000
";
const BASIC_PER_DAY: u64 = 60;
const PRO_PER_MINUTE: u64 = 120;

/// Subscriptions after which new keys are used: far fewer than half of them are unconfirmed, and a key may have 100
/// such.
const PER_KEY: u64 = 150;

/// The address of the request for a subscription.
pub const SUBSCRIBE: &str = "/tender/alerts/subscribe";

/// Uses up new keys with a small daily quota, four requests at a time. Without a kill, exactly the quota is answered.
pub fn use_up_quotas(world: &Arc<World>) -> anyhow::Result<()> {
    let mut number = 0;
    while !world.is_over() {
        number += 1;
        let (lives, began, day) = (
            world.lives.load(Ordering::Relaxed),
            Instant::now(),
            Utc::now().date_naive(),
        );
        let key = world.new_key("BASIC", &format!("quota-{number}"), &[])?;
        let (answered, unsure) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(0)));
        let spenders: Vec<_> = (0..4)
            .map(|_| {
                let (world, key) = (Arc::clone(world), key.clone());
                let (answered, unsure) = (Arc::clone(&answered), Arc::clone(&unsure));
                thread::spawn(move || spend(&world, &key, &answered, &unsure))
            })
            .collect();
        for spender in spenders {
            let _ = spender.join();
        }
        let (answered, unsure) = (answered.load(Ordering::Relaxed), unsure.load(Ordering::Relaxed));
        let is_steady = unsure == 0
            && lives == world.lives.load(Ordering::Relaxed)
            && day == Utc::now().date_naive()
            && !world.is_clock_unsteady.load(Ordering::Relaxed)
            && !world.is_over();
        if is_steady && answered != BASIC_PER_DAY {
            let evidence = format!(
                "{answered} instead of {BASIC_PER_DAY}, key {number}, {:?} after its creation",
                began.elapsed()
            );
            world.report.violation("a daily quota is not exact", evidence);
        } else if is_steady {
            world.report.count("daily quotas used up exactly");
        }
        world.sleep(Duration::from_secs(2));
    }
    Ok(())
}

fn spend(world: &World, key: &str, answered: &AtomicU64, unsure: &AtomicU64) {
    let mut client = world.client();
    while !world.is_over() {
        match world.send(&mut client, "small quota", &Request::get("/contract?limit=1", key)) {
            Some(of) if of.answer.status == 200 => drop(answered.fetch_add(1, Ordering::Relaxed)),
            Some(of) if of.answer.status == 429 => return,
            _ => {
                unsure.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Sends as fast as it can with a key of a small rate.
pub fn exceed_rate(world: &World, key: &str) {
    let mut client = world.client();
    while !world.is_over() {
        let (lives, began) = (world.lives.load(Ordering::Relaxed), Instant::now());
        let mut accepted = 0;
        while began.elapsed() < Duration::from_secs(2) && !world.is_over() {
            let request = Request::get("/contract?limit=1", key);
            let Some(answered) = world.send(&mut client, "flood of one key", &request) else {
                continue;
            };
            match answered.answer.status {
                429 if answered.answer.header("retry-after").is_none() => {
                    world
                        .report
                        .violation("429 without Retry-After", answered.answer.excerpt());
                }
                200 => accepted += 1,
                _ => {}
            }
        }
        // A full bucket, and what drips into it.
        let most = PRO_PER_MINUTE + PRO_PER_MINUTE * (began.elapsed().as_secs() + 1) / 60;
        if accepted > most && lives == world.lives.load(Ordering::Relaxed) {
            world.report.violation(
                "a rate limit is exceeded",
                format!("{accepted} answers instead of {most}"),
            );
        }
        world.sleep(Duration::from_secs(8));
    }
}

/// Creates keys, revokes them, and checks that they stay revoked.
pub fn revoke(world: &World) -> anyhow::Result<()> {
    let mut random = Random::new(world.seed, "revoke");
    let mut client = world.client();
    let mut revoked: Vec<String> = Vec::new();
    let mut number = 0;
    while !world.is_over() {
        number += 1;
        let label = format!("revoked-{number}");
        let key = world.new_key("ULTRA", &label, &[])?;
        let list = world.installation.run(&["keys", "list"])?;
        let line = list
            .lines()
            .find(|line| line.split_whitespace().any(|word| word == label));
        let id = line.and_then(|line| line.split_whitespace().next()).unwrap_or("0");
        world.command(&["keys", "revoke", id])?;
        let acknowledged = Instant::now();
        while is_accepted(world, &mut client, &key) == Some(true) && !world.is_over() {
            if acknowledged.elapsed() > KEYS_LIMIT {
                world.report.violation("a revocation does not arrive", label.clone());
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        if world.is_over() {
            break;
        }
        world.report.latency("revoked to refused", acknowledged.elapsed());
        revoked.push(key);
        for _ in 0..3 {
            let again = random.pick(&revoked).clone();
            if is_accepted(world, &mut client, &again) == Some(true) {
                world
                    .report
                    .violation("an acknowledged revocation is lost", label.clone());
            }
            world.report.count("revoked keys tried again");
        }
        world.sleep(Duration::from_secs(3));
    }
    Ok(())
}

/// Whether the server accepts a key; `None` if the answer does not show it.
fn is_accepted(world: &World, client: &mut Client, key: &str) -> Option<bool> {
    let answered = world.send(client, "revoked key", &Request::get("/sources", key))?;
    match answered.answer.status {
        403 => Some(false),
        200 => Some(true),
        _ => None,
    }
}

/// Subscribes new addresses with keys of both kinds of trust, confirms, and unsubscribes.
pub fn subscribe(world: &World) -> anyhow::Result<()> {
    let mut random = Random::new(world.seed, "subscribe");
    let mut client = world.client();
    let trusted = trusted_consent(&world.installation);
    let has_trust = !trusted.is_empty();
    if !has_trust {
        world
            .report
            .note("SKIPPED: this binary has no confirmed opt-in, so no confirmation was checked");
    }
    let (mut made, mut keys) = (0, Vec::new());
    while !world.is_over() {
        if made % PER_KEY == 0 {
            keys = vec![
                world.new_key("MEGA", &format!("alerts-{made}-trusted"), trusted)?,
                world.new_key("MEGA", &format!("alerts-{made}"), &[])?,
            ];
        }
        made += 1;
        let is_trusted = !has_trust || random.chance(60);
        let key = &keys[usize::from(!is_trusted)];
        subscribe_one(
            world,
            &mut client,
            key,
            if is_trusted {
                Wish::Subscribed
            } else {
                Wish::Unconfirmed
            },
        );
        if random.chance(70)
            && let Some((email, link)) = world.mail.to_confirm()
        {
            confirm(world, &mut client, &email, &link);
        }
        if random.chance(25)
            && let Some((email, link)) = world.mail.to_unsubscribe(&mut random)
        {
            unsubscribe(world, &mut client, &email, &link, random.chance(50));
        }
        world.sleep(Duration::from_millis(500 + random.below(1000)));
    }
    Ok(())
}

/// The option of `keys create` by which subscriptions need no confirmation, if the binary has it.
pub fn trusted_consent(installation: &Installation) -> &'static [&'static str] {
    const OPTION: &str = "--trusted-consent";
    if installation.has_option(&["keys", "create"], OPTION) {
        &[OPTION]
    } else {
        &[]
    }
}

/// Subscribes a new address and returns it.
pub fn subscribe_one(world: &World, client: &mut Client, key: &str, wish: Wish) -> String {
    let email = world.mail.new_address();
    let body = json!({ "email": email, "keyword": ALERT_WORD });
    let request = Request::post(SUBSCRIBE, key, &body);
    if let Some(answered) = world.send(client, "subscribe", &request)
        && answered.answer.status == 200
    {
        world.mail.wish(&email, wish);
        if answered.answer.json() != Some(json!({ "status": "subscribed" })) {
            world
                .report
                .violation("subscribe answers something else", answered.answer.excerpt());
        }
    }
    email
}

/// Opens the link of a confirmation mail, and presses its button.
fn confirm(world: &World, client: &mut Client, email: &str, link: &str) {
    world.send(client, "confirmation page", &Request::keyless("GET", link));
    world.mail.wish(email, Wish::Unknown);
    if let Some(answered) = world.send(client, "confirm", &Request::keyless("POST", link)) {
        match answered.answer.status {
            200 => world.mail.wish(email, Wish::Subscribed),
            503 => {}
            status => world.report.violation(
                "a link to confirm is refused",
                format!("{status} {}", answered.answer.excerpt()),
            ),
        }
    }
}

fn unsubscribe(world: &World, client: &mut Client, email: &str, link: &str, by_get: bool) {
    world.mail.wish(email, Wish::Unknown);
    let request = Request::keyless(if by_get { "GET" } else { "POST" }, link);
    if let Some(answered) = world.send(client, "unsubscribe", &request) {
        match answered.answer.status {
            200 => world.mail.wish(email, Wish::Unsubscribed(Instant::now())),
            503 => {}
            status => world.report.violation(
                "a link to unsubscribe is refused",
                format!("{status} {}", answered.answer.excerpt()),
            ),
        }
    }
}

/// The counts of today by key, from `procure keys list`.
fn stored_counts(world: &World) -> anyhow::Result<Vec<(String, u64)>> {
    let list = world.installation.run(&["keys", "list"])?;
    let count = |line: &str| -> Option<(String, u64)> {
        let mut words = line.split_whitespace().skip_while(|word| *word != "today").skip(1);
        let count = words.next()?.parse().ok()?;
        let keys = lock(&world.keys);
        let key = words.find_map(|word| keys.get(word))?;
        Some((key.clone(), count))
    };
    Ok(list.lines().filter_map(count).collect())
}

/// Compares the stored counts of today with what was acknowledged. No request may be under way. `killed`: when the
/// server was killed, if it was not stopped.
pub fn check_counts(world: &World, killed: Option<Instant>, is_new_day: bool) -> anyhow::Result<()> {
    for (key, stored) in stored_counts(world)? {
        let mut ledger = lock(&world.ledger);
        let bounds = ledger.bounds(&key, killed);
        let keys = lock(&world.keys);
        let label = keys
            .iter()
            .find(|(_, known)| **known == key)
            .map_or("", |(label, _)| label.as_str());
        // Hostile connections do not read what they are charged for.
        if !is_new_day && label != "hostile" && !(bounds.least..=bounds.most).contains(&stored) {
            let evidence = format!("{label}: {stored} stored, {bounds:?}, killed: {}", killed.is_some());
            world.report.violation("the count of a key is wrong", evidence);
        }
        world.report.count("counts of keys compared with what was acknowledged");
        world.report.add(
            "requests whose count a kill lost",
            bounds.certain.saturating_sub(stored),
        );
        ledger.settle(&key, stored);
    }
    Ok(())
}
