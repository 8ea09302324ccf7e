//! The options of the pages for people.

use clap::{Args, builder::NonEmptyStringValueParser};

use crate::pages::settings::{PagesMode, PagesSettings};

#[derive(Debug, Args)]
pub(crate) struct PagesOptions {
    /// Who may see the pages for people: key (visitors sign in with an API key), open (everybody) or
    /// off
    #[arg(
        long,
        value_name = "MODE",
        env = "PROCURE_EXPLORER",
        default_value = "key",
        value_parser = parse_mode
    )]
    explorer: PagesMode,
    /// Header in which the proxy states the client's address, by which visitors without a key are
    /// limited; without it, the address of the connection counts
    #[arg(
        long,
        value_name = "NAME",
        env = "PROCURE_CLIENT_ADDRESS_HEADER",
        value_parser = NonEmptyStringValueParser::new()
    )]
    client_address_header: Option<String>,
    /// Let search engines list the pages
    #[arg(long, env = "PROCURE_EXPLORER_INDEX")]
    explorer_index: bool,
}

impl PagesOptions {
    /// `public_url` is the public address of the service, if the operator stated it.
    pub(crate) fn settings(self, public_url: Option<&str>) -> PagesSettings {
        PagesSettings {
            mode: self.explorer,
            client_address_header: self.client_address_header,
            is_indexed: self.explorer_index,
            public_url: public_url.map(str::to_owned),
            one_time_link: None,
        }
    }
}

fn parse_mode(name: &str) -> Result<PagesMode, String> {
    PagesMode::parse(name).ok_or_else(|| "use key, open or off".to_owned())
}
