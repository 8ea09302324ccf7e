//! `procure alerts`: sends digests once, lists and previews them, resumes and erases addresses.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail, ensure};
use chrono::{DateTime, Utc};
use clap::Subcommand;

use crate::{
    alerts::{
        confirmation::{self, Confirmation},
        digest_plan::DigestPlan,
        html,
        mail::Sender,
        mailer::{self, StopReason},
        text,
    },
    catalog::generation::Generation,
    cli::{
        engine_options::EngineOptions,
        mail_options::{MailOptions, SenderOptions},
        options::{StateFile, counted, note, print, write_private},
    },
    model::{EmailAddress, timestamp},
    server,
    state::{address_hash::AddressHash, database::StateDb, subscription::Subscription},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Alerts {
    /// Send the confirmation mails and digests that are due, then exit
    Send {
        /// Print who would get how many tenders or a confirmation mail, and send nothing
        #[arg(long, env = "PROCURE_DRY_RUN")]
        dry_run: bool,
        #[command(flatten)]
        index: EngineOptions,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        mail: MailOptions,
    },
    /// List the subscribed addresses, when each was last mailed, and why it is not mailed
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Show the digest or the confirmation mail that an address would get now, whether or not it is
    /// due
    Preview {
        /// The address
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL")]
        email: String,
        /// Folder for digest.txt, digest.html and digest.eml; without it, the text is printed
        #[arg(long, value_name = "DIR", env = "PROCURE_OUT")]
        out: Option<PathBuf>,
        #[command(flatten)]
        index: EngineOptions,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        sender: SenderOptions,
    },
    /// Resume mail to paused addresses; with --email, also to an address that asked for no further
    /// mail
    Resume {
        /// Only this address
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL")]
        email: Option<String>,
        #[command(flatten)]
        state: StateFile,
    },
    /// Erase an address at its owner's request: end its alerts, remove the address and its keywords
    Forget {
        /// The address
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL")]
        email: String,
        #[command(flatten)]
        state: StateFile,
    },
}

pub(crate) fn run(args: Alerts) -> anyhow::Result<()> {
    match args {
        Alerts::Send {
            dry_run: true,
            index,
            state,
            ..
        } => {
            let (state, generation) = (state.open_existing()?, index.open_current()?);
            dry_run(&state, &generation)
        }
        Alerts::Send { index, state, mail, .. } => send(&state.open_existing()?, &index, &mail),
        Alerts::List { state } => list(&state.open_existing()?),
        Alerts::Preview {
            email,
            out,
            index,
            state,
            sender,
        } => {
            let (state, generation) = (state.open_existing()?, index.open_current()?);
            preview(&state, &generation, &email, &sender.sender()?, out.as_deref())
        }
        Alerts::Resume { email, state } => {
            let (address, state) = (email.as_deref().map(AddressHash::new), state.open_existing()?);
            let has_declined = address.map(|address| state.allow_confirmations(address)).transpose()?;
            let resumed = state.resume_addresses(address)?;
            let resumed = resumed.max(usize::from(has_declined == Some(true)));
            print(&format!("{} resumed\n", counted(resumed, "address", "addresses")))
        }
        Alerts::Forget { email, state } => {
            let address = EmailAddress::parse(&email).map_err(|why| anyhow!("the address {why}"))?;
            let ended = state.open_existing()?.erase_address(&address, Utc::now())?;
            let ended = ended.with_context(|| {
                format!("the address {email} is unknown; `procure alerts list` lists the subscribed addresses")
            })?;
            print(&format!("erased; {} ended\n", counted(ended, "alert", "alerts")))
        }
    }
}

fn dry_run(state: &StateDb, generation: &Generation) -> anyhow::Result<()> {
    let now = Utc::now();
    let due = state.due_confirmations(None, now)?;
    let mut lines: Vec<String> = due
        .iter()
        .map(|due| format!("   -  {}  (confirmation)\n", due.email))
        .collect();
    let plan = DigestPlan::new(state, generation, None, now)?;
    let recipients = plan.recipients.iter();
    lines.extend(recipients.map(|recipient| format!("{:>4}  {}\n", recipient.tenders, recipient.email)));
    note(&match lines.len() {
        0 => "no mail is due".to_owned(),
        number => format!("{} due; nothing was sent", counted(number, "mail is", "mails are")),
    });
    print(&lines.concat())
}

fn send(state: &StateDb, index: &EngineOptions, mail: &MailOptions) -> anyhow::Result<()> {
    let settings = mail.settings()?;
    let settings = settings.context("no mail server is set; use --smtp-url, such as smtps://user@mail.example.org")?;
    let generation = index.open_current()?;
    let is_stopped = server::signals::stop_flag()?;
    let stop_reason = || if is_stopped() { Some(StopReason::Shutdown) } else { None };
    let report = mailer::run_once(state, &generation, &settings, Utc::now, &stop_reason, &mut |_, _| {})?;
    print(&format!("{report}\n"))?;
    match report.ended_early {
        Some(why) if report.waiting == 0 => bail!("the run ended early: {why}"),
        Some(why) => bail!(
            "the run ended early with {} left for the next run: {why}",
            counted(report.waiting, "address", "addresses")
        ),
        None => Ok(()),
    }
}

fn list(state: &StateDb) -> anyhow::Result<()> {
    let history = state.delivery_history(Utc::now())?;
    let subscriptions = state.subscriptions()?;
    // The numbers of active and of unconfirmed alerts.
    let mut of_address: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    for Subscription { email, .. } in &subscriptions {
        of_address.entry(email).or_default().0 += 1;
    }
    let pending = state.pending_counts()?;
    for (email, count) in &pending {
        of_address.entry(email).or_default().1 = *count;
    }
    let mut lines = String::new();
    for (email, (active, pending)) in of_address {
        let address = AddressHash::new(email);
        let last = history.last_to_address.get(&address).map_or("-".to_owned(), moment);
        lines.push_str(&format!("{active:>3} alerts  last mail {last:<20}  {email}"));
        if pending > 0 {
            lines.push_str(&format!("  {pending} not confirmed"));
        }
        if let Some(suppression) = history.suppressions.get(&address) {
            let since = match &suppression.paused_at {
                Some(since) => format!("paused since {}", moment(since)),
                None => format!("deferred until {}", moment(&suppression.due_at)),
            };
            lines.push_str(&format!("  {since}: {}", suppression.why));
        }
        lines.push('\n');
    }
    let uncertain = state.count_uncertain_deliveries()?;
    if uncertain > 0 {
        let mails = match uncertain {
            1 => "1 mail of the last months may not have arrived; it is not sent again".to_owned(),
            _ => format!("{uncertain} mails of the last months may not have arrived; they are not sent again"),
        };
        lines.push_str(&format!("{mails}\n"));
    }
    if subscriptions.is_empty() && pending.is_empty() {
        note("no address is subscribed");
    }
    print(&lines)
}

fn preview(
    state: &StateDb,
    generation: &Generation,
    email: &str,
    sender: &Sender,
    out: Option<&Path>,
) -> anyhow::Result<()> {
    let now = Utc::now();
    let plan = DigestPlan::new(state, generation, Some(email), now)?;
    let mail = match plan.recipients.first() {
        Some(recipient) => plan.compose(recipient, sender, state, now)?,
        None => None,
    };
    let Some(mail) = mail else {
        if let Some(pending) = state.pending_confirmation(&email.to_lowercase())? {
            let mail = confirmation::compose(&pending, sender, now)?;
            let confirmation = Confirmation::new(&pending, sender);
            return show(out, &confirmation.text(), &confirmation.html(), &mail.bytes);
        }
        let is_known = !state.subscriptions_of(&email.to_lowercase())?.is_empty();
        ensure!(
            is_known,
            "{email} is not subscribed; `procure alerts list` lists the subscribed addresses"
        );
        bail!("there is nothing new for {email}");
    };
    let (text, html) = (text::render(&mail.digest), html::render(&mail.digest));
    show(out, &text, &html, &mail.mail.bytes)
}

/// Prints a mail, or writes it to a folder.
fn show(folder: Option<&Path>, text: &str, html: &str, message: &[u8]) -> anyhow::Result<()> {
    let Some(folder) = folder else {
        return print(text);
    };
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    for (name, bytes) in [
        ("digest.txt", text.as_bytes()),
        ("digest.html", html.as_bytes()),
        ("digest.eml", message),
    ] {
        let path = folder.join(name);
        // It holds an address and its link to unsubscribe.
        write_private(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn moment(moment: &DateTime<Utc>) -> String {
    timestamp::format_seconds(*moment)
}
