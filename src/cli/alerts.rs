//! `procure alerts`: mails for those who asked for them, and what an operator wants to know about them.

use std::{
    collections::BTreeMap,
    env, fs,
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail, ensure};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use crate::{
    alerts::{
        html,
        mail::{DkimFile, Sender},
        mailer::{self, End, Settings},
        round,
        send::{Place, Server},
        text,
    },
    catalog::generation::{self, Generation},
    cli::{IndexDir, StateFile, print},
    model::email::EmailAddress,
    server,
    state::{State, mailings::Addressee, subscriptions::Subscription},
};

#[derive(Debug, Subcommand)]
pub enum Alerts {
    /// Mail everyone who is due what is new, and end
    Send {
        /// Say who would get how much, and send nothing [env: PROCURE_DRY_RUN]
        #[arg(long, env = "PROCURE_DRY_RUN", hide_env = true)]
        dry_run: bool,
        #[command(flatten)]
        index: IndexDir,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        mail: Mail,
    },
    /// List the addresses that are subscribed, when they were last mailed, and what stands against it
    List {
        #[command(flatten)]
        state: StateFile,
    },
    /// Show the digest an address would get now, whether or not it is its time
    Preview {
        /// Whose [env: PROCURE_EMAIL]
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL", hide_env = true)]
        email: String,
        /// Folder for digest.txt, digest.html and digest.eml; the text is printed unless given [env: PROCURE_OUT]
        #[arg(long, value_name = "DIR", env = "PROCURE_OUT", hide_env = true)]
        out: Option<PathBuf>,
        #[command(flatten)]
        index: IndexDir,
        #[command(flatten)]
        state: StateFile,
        #[command(flatten)]
        sender: From,
    },
    /// Mail paused addresses again
    Resume {
        /// Only this one [env: PROCURE_EMAIL]
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL", hide_env = true)]
        email: Option<String>,
        #[command(flatten)]
        state: StateFile,
    },
    /// Forget an address at its owner's request: end its alerts and erase what names it or tells what it asked for
    Forget {
        /// Whose [env: PROCURE_EMAIL]
        #[arg(long, value_name = "ADDRESS", env = "PROCURE_EMAIL", hide_env = true)]
        email: String,
        #[command(flatten)]
        state: StateFile,
    },
}

/// How mail leaves.
#[derive(Debug, Args)]
pub struct Mail {
    /// Mail server for alerts: smtps://user@host, or smtp://user@host:587 for STARTTLS [env: PROCURE_SMTP_URL]
    #[arg(long, value_name = "URL", env = "PROCURE_SMTP_URL", hide_env = true)]
    smtp_url: Option<String>,
    /// File with the password for it; the variable PROCURE_SMTP_PASSWORD can hold it instead [env: PROCURE_SMTP_PASSWORD_FILE]
    #[arg(long, value_name = "FILE", env = "PROCURE_SMTP_PASSWORD_FILE", hide_env = true)]
    smtp_password_file: Option<PathBuf>,
    /// PEM file of certificates to trust beside the usual ones [env: PROCURE_SMTP_CA]
    #[arg(long, value_name = "FILE", env = "PROCURE_SMTP_CA", hide_env = true)]
    smtp_ca: Option<PathBuf>,
    /// Most mails a minute [env: PROCURE_MAIL_RATE]
    #[arg(
        long,
        value_name = "N",
        env = "PROCURE_MAIL_RATE",
        hide_env = true,
        default_value = "60"
    )]
    mail_rate: NonZeroU32,
    #[command(flatten)]
    from: From,
}

/// Who it is from.
#[derive(Debug, Args)]
pub struct From {
    /// Sender of alerts, like "Name <alerts@example.org>" [env: PROCURE_MAIL_FROM]
    #[arg(long, value_name = "SENDER", env = "PROCURE_MAIL_FROM", hide_env = true)]
    mail_from: Option<String>,
    /// Postal address of the sender, on one line [env: PROCURE_MAIL_ADDRESS]
    #[arg(long, value_name = "TEXT", env = "PROCURE_MAIL_ADDRESS", hide_env = true)]
    mail_address: Option<String>,
    /// Where the public finds this service, for the links in mails [env: PROCURE_PUBLIC_URL]
    #[arg(long, value_name = "URL", env = "PROCURE_PUBLIC_URL", hide_env = true)]
    public_url: Option<String>,
    /// Private key to sign mails with (DKIM), RSA or Ed25519, PEM [env: PROCURE_DKIM_KEY]
    #[arg(long, value_name = "FILE", env = "PROCURE_DKIM_KEY", hide_env = true)]
    dkim_key: Option<PathBuf>,
    /// Name under which DNS has its public half [env: PROCURE_DKIM_SELECTOR]
    #[arg(long, value_name = "NAME", env = "PROCURE_DKIM_SELECTOR", hide_env = true)]
    dkim_selector: Option<String>,
    /// Domain that signs; the sender's unless given [env: PROCURE_DKIM_DOMAIN]
    #[arg(long, value_name = "DOMAIN", env = "PROCURE_DKIM_DOMAIN", hide_env = true)]
    dkim_domain: Option<String>,
}

/// The variable that can hold the password; no flag does, since anyone can list those.
const PASSWORD: &str = "PROCURE_SMTP_PASSWORD";

impl Mail {
    /// The settings, none where no server is named; what is half set is refused.
    pub fn settings(&self) -> anyhow::Result<Option<Settings>> {
        let Some(url) = &self.smtp_url else {
            let half = [
                (self.smtp_password_file.is_some(), "--smtp-password-file"),
                (self.smtp_ca.is_some(), "--smtp-ca"),
                (self.from.mail_from.is_some(), "--mail-from"),
                (self.from.mail_address.is_some(), "--mail-address"),
                (self.from.dkim_key.is_some(), "--dkim-key"),
            ];
            if let Some((_, name)) = half.iter().find(|(is_set, _)| *is_set) {
                bail!("{name} is set, and --smtp-url, without which no mail is sent, is not");
            }
            return Ok(None);
        };
        let sender = self.from.sender()?;
        // Whatever is wrong with it, it may hold a password: it is not repeated.
        let place: Place = url.parse().context("--smtp-url cannot be used")?;
        let server = Server::new(place, self.password()?, self.smtp_ca.as_deref(), sender.domain())?;
        Ok(Some(Settings {
            server,
            sender,
            rate: self.mail_rate,
        }))
    }

    fn password(&self) -> anyhow::Result<Option<String>> {
        let password = match (
            &self.smtp_password_file,
            env::var(PASSWORD).ok().filter(|text| !text.is_empty()),
        ) {
            (Some(_), Some(_)) => bail!("{PASSWORD} and --smtp-password-file are both set; unset one"),
            (None, variable) => variable,
            (Some(path), None) => {
                let text = fs::read_to_string(path);
                let text = text.with_context(|| format!("reading the password from {}", path.display()))?;
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
        };
        Ok(password)
    }
}

impl From {
    fn sender(&self) -> anyhow::Result<Sender> {
        let needed = |value: &Option<String>, what: &str| {
            let value = value.clone().filter(|value| !value.trim().is_empty());
            value.with_context(|| format!("no mail is written without {what}"))
        };
        let from = needed(
            &self.mail_from,
            "--mail-from, its sender's name and address, like \"Name <alerts@example.org>\"",
        )?;
        let postal = needed(
            &self.mail_address,
            "--mail-address, the sender's postal address: Canada's anti-spam law (CASL) asks for it",
        )?;
        let public_url = needed(&self.public_url, "--public-url, where the links to unsubscribe lead")?;
        let dkim = match (&self.dkim_key, &self.dkim_selector) {
            (Some(key), Some(selector)) => Some(DkimFile {
                key,
                selector,
                domain: self.dkim_domain.as_deref(),
            }),
            (None, None) => None,
            (Some(_), None) => bail!("--dkim-key needs --dkim-selector, the name under which DNS has its public half"),
            (None, Some(_)) => bail!("--dkim-selector needs --dkim-key, the key to sign with"),
        };
        Sender::new(&from, &postal, &public_url, dkim)
    }
}

/// Does what was asked of the alerts.
pub fn run(args: Alerts) -> anyhow::Result<()> {
    match args {
        Alerts::Send {
            dry_run: true,
            index,
            state,
            ..
        } => {
            let (state, generation) = (existing(&state.state)?, current(&index)?);
            let round = round::plan(&state, &generation, None, Utc::now())?;
            let line = |due: &round::Due| format!("{:>4}  {}\n", due.tenders, due.email);
            print(&round.due.iter().map(line).collect::<String>())
        }
        Alerts::Send { index, state, mail, .. } => send(&existing(&state.state)?, &index, &mail),
        Alerts::List { state } => list(&existing(&state.state)?),
        Alerts::Preview {
            email,
            out,
            index,
            state,
            sender,
        } => {
            let (state, generation) = (existing(&state.state)?, current(&index)?);
            preview(&state, &generation, &email, &sender.sender()?, out.as_deref())
        }
        Alerts::Resume { email, state } => {
            let addressee = email.as_deref().map(Addressee::new);
            let resumed = existing(&state.state)?.resume_addresses(addressee)?;
            print(&format!("{resumed} addresses are mailed again\n"))
        }
        Alerts::Forget { email, state } => {
            let address = EmailAddress::parse(&email).map_err(|why| anyhow!("the address {why}"))?;
            let forgotten = existing(&state.state)?.forget(&address, Utc::now())?;
            let forgotten = forgotten.with_context(|| format!("{email} is not known"))?;
            print(&format!("forgotten; {forgotten} alerts ended\n"))
        }
    }
}

fn send(state: &State, index: &IndexDir, mail: &Mail) -> anyhow::Result<()> {
    let settings = mail.settings()?;
    let settings = settings.context("no mail server is named; --smtp-url does, as in smtps://user@mail.example.org")?;
    let generation = current(index)?;
    let is_stopped = server::stop_flag()?;
    let asked = || is_stopped().then_some(End::Stop);
    let report = mailer::run_once(state, &generation, &settings, Utc::now, &asked, &mut |_, _| {})?;
    print(&format!("{report}\n"))?;
    match report.cut {
        Some(why) if report.waiting == 0 => bail!("the run ended early: {why}"),
        Some(why) => bail!(
            "{} addresses were not come to, and wait for the next run: {why}",
            report.waiting
        ),
        None => Ok(()),
    }
}

fn list(state: &State) -> anyhow::Result<()> {
    let standings = state.standings(Utc::now())?;
    let subscriptions = state.subscriptions()?;
    let mut of_address: BTreeMap<&str, Vec<&Subscription>> = BTreeMap::new();
    for subscription in &subscriptions {
        of_address.entry(&subscription.email).or_default().push(subscription);
    }
    let mut lines = String::new();
    for (email, subscriptions) in of_address {
        let addressee = Addressee::new(email);
        let last = standings.addresses.get(&addressee).map_or("-".to_owned(), moment);
        lines.push_str(&format!(
            "{:>3} alerts  last mail {last:<20}  {email}",
            subscriptions.len()
        ));
        if let Some(setback) = standings.setbacks.get(&addressee) {
            let since = match &setback.paused_at {
                Some(since) => format!("paused since {}", moment(since)),
                None => format!("put off until {}", moment(&setback.due_at)),
            };
            lines.push_str(&format!("  {since}: {}", setback.why));
        }
        lines.push('\n');
    }
    let uncertain = state.uncertain_mailings()?;
    if uncertain > 0 {
        lines.push_str(&format!(
            "{uncertain} mails of the last months may not have arrived, and are not sent again\n"
        ));
    }
    print(&lines)
}

fn preview(
    state: &State,
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
            "{email} is not subscribed; `procure alerts list` tells who is"
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

fn existing(path: &Path) -> anyhow::Result<State> {
    ensure!(
        path.exists(),
        "there is no state file {}; `procure keys create` makes one",
        path.display()
    );
    State::open(path)
}

fn current(index: &IndexDir) -> anyhow::Result<Generation> {
    let id = generation::current(&index.index_dir)?;
    let id = id.with_context(|| format!("no index in {}; `procure index` builds one", index.index_dir.display()))?;
    generation::open(&index.index_dir, &id)
}

fn moment(moment: &DateTime<Utc>) -> String {
    moment.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
