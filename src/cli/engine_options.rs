//! Which engine holds the index: the embedded one in a folder, or an OpenSearch cluster.

use std::{env, fs, path::PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};

use crate::{
    catalog::generation::{self, ClusterStore, Generation, GenerationStore},
    engine::opensearch::settings::{ClusterSettings, Credentials, parse_prefix, parse_url},
};

/// An engine, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum EngineName {
    Tantivy,
    Opensearch,
}

/// Where the index is.
#[derive(Debug, Args)]
pub(crate) struct EngineOptions {
    /// Folder that holds the index of the embedded engine
    #[arg(long, value_name = "DIR", env = "PROCURE_INDEX_DIR", default_value = "data/index")]
    pub(crate) index_dir: PathBuf,
    /// What holds the index: the folder (tantivy) or an OpenSearch cluster (opensearch)
    #[arg(long, value_name = "ENGINE", env = "PROCURE_ENGINE", value_enum, default_value_t = EngineName::Tantivy)]
    engine: EngineName,
    /// Addresses of the cluster's nodes, separated by commas; a node that fails is left out
    #[arg(long, value_name = "URL", env = "PROCURE_ENGINE_URL", value_delimiter = ',', value_parser = parse_url)]
    engine_url: Vec<String>,
    /// First part of the names of the cluster's indexes, "procure" by default
    #[arg(long, value_name = "NAME", env = "PROCURE_ENGINE_PREFIX", value_parser = parse_prefix)]
    engine_prefix: Option<String>,
    /// User of the cluster; the password is in PROCURE_ENGINE_PASSWORD or --engine-password-file
    #[arg(long, value_name = "NAME", env = "PROCURE_ENGINE_USER")]
    engine_user: Option<String>,
    /// File with the password of the user
    #[arg(long, value_name = "FILE", env = "PROCURE_ENGINE_PASSWORD_FILE")]
    engine_password_file: Option<PathBuf>,
    /// File with an API key of the cluster; or set the variable PROCURE_ENGINE_API_KEY
    #[arg(long, value_name = "FILE", env = "PROCURE_ENGINE_API_KEY_FILE")]
    engine_api_key_file: Option<PathBuf>,
    /// PEM file of the certificates to trust instead of the default ones
    #[arg(long, value_name = "FILE", env = "PROCURE_ENGINE_CA")]
    engine_ca: Option<PathBuf>,
}

/// How `procure index` lays out the indexes of a cluster.
#[derive(Debug, Args)]
pub(crate) struct ClusterLayout {
    /// Maximum number of shards of an entity type on the cluster, 1 by default; small ones get one
    #[arg(long, value_name = "N", env = "PROCURE_ENGINE_SHARDS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    engine_shards: Option<u32>,
    /// Copies of each shard on the cluster, in addition to the first; 1 by default
    #[arg(long, value_name = "N", env = "PROCURE_ENGINE_REPLICAS", value_parser = clap::value_parser!(u32).range(0..=16))]
    engine_replicas: Option<u32>,
    /// Records that are worth a shard of their own on the cluster, 100000 by default
    #[arg(long, value_name = "N", env = "PROCURE_ENGINE_RECORDS_PER_SHARD", value_parser = clap::value_parser!(u64).range(1..))]
    engine_records_per_shard: Option<u64>,
}

/// The variables with secrets. There are no flags for them, because every local user can list the
/// arguments of a process.
const PASSWORD: &str = "PROCURE_ENGINE_PASSWORD";
const API_KEY: &str = "PROCURE_ENGINE_API_KEY";

impl EngineOptions {
    /// The generations to serve or to list.
    pub(crate) fn store(&self) -> anyhow::Result<GenerationStore> {
        self.store_with(self.cluster()?)
    }

    /// The generations to add one to.
    pub(crate) fn store_for_build(&self, layout: &ClusterLayout) -> anyhow::Result<GenerationStore> {
        let mut cluster = self.cluster()?;
        layout.apply(cluster.as_mut())?;
        self.store_with(cluster)
    }

    fn store_with(&self, cluster: Option<ClusterSettings>) -> anyhow::Result<GenerationStore> {
        Ok(match cluster {
            Some(settings) => GenerationStore::Cluster(ClusterStore::new(settings)?),
            None => GenerationStore::Folder(self.index_dir.clone()),
        })
    }

    /// Opens the generation that is in service.
    pub(crate) fn open_current(&self) -> anyhow::Result<Generation> {
        generation::open_current(&self.store()?)
    }

    /// Whether the index is in the folder.
    pub(crate) fn is_embedded(&self) -> bool {
        self.engine == EngineName::Tantivy
    }

    /// The settings of the cluster; `None` for the embedded engine. Settings that contradict each
    /// other are an error.
    fn cluster(&self) -> anyhow::Result<Option<ClusterSettings>> {
        if self.is_embedded() {
            let cluster_only = [
                (!self.engine_url.is_empty(), "--engine-url"),
                (self.engine_prefix.is_some(), "--engine-prefix"),
                (self.engine_user.is_some(), "--engine-user"),
                (self.engine_password_file.is_some(), "--engine-password-file"),
                (self.engine_api_key_file.is_some(), "--engine-api-key-file"),
                (self.engine_ca.is_some(), "--engine-ca"),
            ];
            return refuse(&cluster_only).map(|()| None);
        }
        ensure!(
            !self.engine_url.is_empty(),
            "--engine opensearch needs --engine-url, the addresses of the cluster's nodes, such as http://10.0.0.1:9200"
        );
        let credentials = self.credentials()?;
        let is_plain = self.engine_url.iter().any(|url| url.starts_with("http://"));
        if credentials.is_some() && is_plain {
            log::warn!("the credentials of the cluster are sent unencrypted to an http:// address; use https://");
        }
        let mut settings = ClusterSettings::new(self.engine_url.clone());
        settings.credentials = credentials;
        settings.ca_file.clone_from(&self.engine_ca);
        if let Some(prefix) = &self.engine_prefix {
            settings.prefix.clone_from(prefix);
        }
        Ok(Some(settings))
    }

    fn credentials(&self) -> anyhow::Result<Option<Credentials>> {
        let password = secret(PASSWORD, "--engine-password-file", self.engine_password_file.as_ref())?;
        let api_key = secret(API_KEY, "--engine-api-key-file", self.engine_api_key_file.as_ref())?;
        match (self.engine_user.clone(), password, api_key) {
            (None, None, None) => Ok(None),
            (None, None, Some(key)) => Ok(Some(Credentials::ApiKey(key))),
            (Some(user), Some(password), None) => Ok(Some(Credentials::Password { user, password })),
            (Some(_), None, None) => {
                bail!("--engine-user needs a password, in the variable {PASSWORD} or in --engine-password-file")
            }
            (None, Some(_), None) => bail!("the password of the cluster needs --engine-user"),
            (_, _, Some(_)) => {
                bail!("an API key and a user or password of the cluster are both set; unset one")
            }
        }
    }
}

impl ClusterLayout {
    /// Sets what is given. Without a cluster, nothing may be.
    fn apply(&self, settings: Option<&mut ClusterSettings>) -> anyhow::Result<()> {
        let Some(settings) = settings else {
            return refuse(&[
                (self.engine_shards.is_some(), "--engine-shards"),
                (self.engine_replicas.is_some(), "--engine-replicas"),
                (self.engine_records_per_shard.is_some(), "--engine-records-per-shard"),
            ]);
        };
        settings.shards = self.engine_shards.unwrap_or(settings.shards);
        settings.replicas = self.engine_replicas.unwrap_or(settings.replicas);
        settings.min_records_per_shard = self.engine_records_per_shard.unwrap_or(settings.min_records_per_shard);
        Ok(())
    }
}

/// An error if one of these options, each with whether it is set, is used without a cluster.
fn refuse(cluster_only: &[(bool, &str)]) -> anyhow::Result<()> {
    match cluster_only.iter().find(|(is_set, _)| *is_set) {
        Some((_, name)) => bail!("{name} is set but --engine is tantivy; add --engine opensearch, or leave {name} out"),
        None => Ok(()),
    }
}

/// A secret from a variable or a file, without the line end.
fn secret(variable: &str, flag: &str, file: Option<&PathBuf>) -> anyhow::Result<Option<String>> {
    match (file, env::var(variable).ok().filter(|text| !text.is_empty())) {
        (Some(_), Some(_)) => bail!("{variable} and {flag} are both set; unset one"),
        (None, variable) => Ok(variable),
        (Some(path), None) => {
            let text = fs::read_to_string(path).with_context(|| format!("reading {flag} {}", path.display()))?;
            Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        engine: EngineOptions,
        #[command(flatten)]
        layout: ClusterLayout,
    }

    /// The settings that a command line gives; `None` for the embedded engine.
    fn parse(line: &str) -> Result<Option<ClusterSettings>, String> {
        let args = Line::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
        let mut settings = args.engine.cluster().map_err(|error| format!("{error:#}"))?;
        let applied = args.layout.apply(settings.as_mut());
        applied.map_err(|error| format!("{error:#}"))?;
        Ok(settings)
    }

    #[test]
    fn the_embedded_engine_takes_no_setting_of_a_cluster() {
        assert!(parse("procure").unwrap().is_none());
        for flag in [
            "--engine-url http://127.0.0.1:9200",
            "--engine-prefix x",
            "--engine-user x",
            "--engine-password-file x",
            "--engine-api-key-file x",
            "--engine-ca x",
            "--engine-shards 2",
            "--engine-replicas 0",
            "--engine-records-per-shard 1",
        ] {
            let error = parse(&format!("procure {flag}")).unwrap_err();
            let name = flag.split(' ').next().unwrap();
            assert!(
                error.starts_with(name) && error.contains("--engine opensearch"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_help_states_the_defaults_of_the_layout() {
        let settings = ClusterSettings::new(Vec::new());
        let command = Line::command();
        for (id, default) in [
            ("engine_prefix", format!("\"{}\"", settings.prefix)),
            ("engine_shards", settings.shards.to_string()),
            ("engine_replicas", settings.replicas.to_string()),
            ("engine_records_per_shard", settings.min_records_per_shard.to_string()),
        ] {
            let argument = command.get_arguments().find(|argument| argument.get_id() == id);
            let help = argument.and_then(clap::Arg::get_help).unwrap().to_string();
            assert!(help.contains(&format!("{default} by default")), "{id}: {help}");
        }
    }

    #[test]
    fn a_cluster_needs_addresses_and_has_its_settings() {
        assert!(
            parse("procure --engine opensearch")
                .unwrap_err()
                .contains("--engine-url")
        );
        assert!(parse("procure --engine solr").is_err());
        let line = "procure --engine opensearch --engine-url http://a:1,https://b:2/ --engine-prefix t --engine-shards 3 --engine-replicas 2";
        let settings = parse(line).unwrap().unwrap();
        assert_eq!(settings.urls, ["http://a:1", "https://b:2"]);
        assert_eq!(
            (settings.prefix.as_str(), settings.shards, settings.replicas),
            ("t", 3, 2)
        );
        for wrong in [
            "--engine-url http://u:secret@a:1",
            "--engine-url a:1",
            "--engine-prefix A",
        ] {
            let error = parse(&format!("procure --engine opensearch {wrong}")).unwrap_err();
            assert!(error.contains("invalid"), "{error}");
        }
    }

    #[test]
    fn the_user_and_the_password_of_a_cluster_belong_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        fs::write(&file, "s3cret\n").unwrap();
        let (line, file) = ("procure --engine opensearch --engine-url https://a:1", file.display());
        let credentials = |flags: &str| parse(&format!("{line} {flags}")).map(|settings| settings.unwrap().credentials);
        let password = credentials(&format!("--engine-user u --engine-password-file {file}"));
        let expected = Credentials::Password {
            user: "u".to_owned(),
            password: "s3cret".to_owned(),
        };
        assert!(password.unwrap() == Some(expected));
        let key = credentials(&format!("--engine-api-key-file {file}"));
        assert!(key.unwrap() == Some(Credentials::ApiKey("s3cret".to_owned())));
        for (flags, part) in [
            ("--engine-user u".to_owned(), "needs a password"),
            (format!("--engine-password-file {file}"), "needs --engine-user"),
            (format!("--engine-user u --engine-api-key-file {file}"), "both set"),
            ("--engine-api-key-file /missing/file".to_owned(), "/missing/file"),
        ] {
            let error = credentials(&flags).unwrap_err();
            assert!(error.contains(part) && !error.contains("s3cret"), "{error}");
        }
    }
}
