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
        html,
        mail::Sender,
        mailer::{self, End},
        round, text,
    },
    catalog::generation::Generation,
    cli::{
        mail_options::{MailOptions, SenderOptions},
        options::{IndexDir, StateFile, print},
    },
    model::{email::EmailAddress, timestamp},
    server,
    state::{address_hash::AddressHash, database::StateDb, subscription::Subscription},
};

#[derive(Debug, Subcommand)]
pub enum Alerts {
    /// Send the digests that are due, then exit
    Send {
        /// Print who would get how many tenders, and send nothing
        #[arg(long, env = "PROCURE_DRY_RUN")]
        dry_run: bool,
        #[command(flatten)]
        index: IndexDir,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        mail: MailOptions,
    },
    /// List the subscribed addresses, when each was last mailed, and why it is paused
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Show the digest that an address would get now, whether or not it is due
    Preview {
        /// The address
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL")]
        email: String,
        /// Folder for digest.txt, digest.html and digest.eml; without it, the text is printed
        #[arg(long, value_name = "DIR", env = "PROCURE_OUT")]
        out: Option<PathBuf>,
        #[command(flatten)]
        index: IndexDir,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        sender: SenderOptions,
    },
    /// Resume mail to paused addresses
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

pub fn run(args: Alerts) -> anyhow::Result<()> {
    match args {
        Alerts::Send {
            dry_run: true,
            index,
            state,
            ..
        } => {
            let (state, generation) = (state.open_existing()?, index.open_current()?);
            let round = round::plan(&state, &generation, None, Utc::now())?;
            let line = |due: &round::Due| format!("{:>4}  {}\n", due.tenders, due.email);
            print(&round.due.iter().map(line).collect::<String>())
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
            let addressee = email.as_deref().map(AddressHash::new);
            let resumed = state.open_existing()?.resume_addresses(addressee)?;
            print(&format!("{resumed} addresses resumed\n"))
        }
        Alerts::Forget { email, state } => {
            let address = EmailAddress::parse(&email).map_err(|why| anyhow!("the address {why}"))?;
            let forgotten = state.open_existing()?.erase_address(&address, Utc::now())?;
            let forgotten = forgotten.with_context(|| format!("the address {email} is unknown"))?;
            print(&format!("erased; {forgotten} alerts ended\n"))
        }
    }
}

fn send(state: &StateDb, index: &IndexDir, mail: &MailOptions) -> anyhow::Result<()> {
    let settings = mail.settings()?;
    let settings = settings.context("no mail server is set; use --smtp-url, such as smtps://user@mail.example.org")?;
    let generation = index.open_current()?;
    let is_stopped = server::signals::stop_flag()?;
    let stop = || if is_stopped() { Some(End::Stop) } else { None };
    let report = mailer::run_once(state, &generation, &settings, Utc::now, &stop, &mut |_, _| {})?;
    print(&format!("{report}\n"))?;
    match report.cut {
        Some(why) if report.waiting == 0 => bail!("the run ended early: {why}"),
        Some(why) => bail!(
            "the run ended early with {} addresses left for the next run: {why}",
            report.waiting
        ),
        None => Ok(()),
    }
}

fn list(state: &StateDb) -> anyhow::Result<()> {
    let history = state.delivery_history(Utc::now())?;
    let subscriptions = state.subscriptions()?;
    let mut of_address: BTreeMap<&str, Vec<&Subscription>> = BTreeMap::new();
    for subscription in &subscriptions {
        of_address.entry(&subscription.email).or_default().push(subscription);
    }
    let mut lines = String::new();
    for (email, subscriptions) in of_address {
        let addressee = AddressHash::new(email);
        let last = history.last_to_address.get(&addressee).map_or("-".to_owned(), moment);
        lines.push_str(&format!(
            "{:>3} alerts  last mail {last:<20}  {email}",
            subscriptions.len()
        ));
        if let Some(suppression) = history.suppressions.get(&addressee) {
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
        lines.push_str(&format!(
            "{uncertain} mails of the last months may not have arrived; they are not sent again\n"
        ));
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
    let round = round::plan(state, generation, Some(email), now)?;
    let letter = match round.due.first() {
        Some(due) => round.letter(due, sender, state, now)?,
        None => None,
    };
    let Some(letter) = letter else {
        let is_known = !state.subscriptions_of(&email.to_lowercase())?.is_empty();
        ensure!(
            is_known,
            "{email} is not subscribed; `procure alerts list` lists the subscribed addresses"
        );
        bail!("there is nothing new for {email}");
    };
    let Some(folder) = out else {
        return print(&text::write(&letter.digest));
    };
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    for (name, bytes) in [
        ("digest.txt", text::write(&letter.digest).into_bytes()),
        ("digest.html", html::write(&letter.digest).into_bytes()),
        ("digest.eml", letter.mail.bytes),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn moment(moment: &DateTime<Utc>) -> String {
    timestamp::format_seconds(*moment)
}
