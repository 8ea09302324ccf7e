//! What a key's plan allows. The figures are defaults, which an operator's TOML file may override.

use std::{fs, path::Path};

use anyhow::{Context, bail, ensure};

/// A plan, from the free one up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Basic,
    Pro,
    Ultra,
    Mega,
}

/// The figures of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    pub requests_per_minute: u32,
    pub requests_per_day: u32,
    /// The most records of a page, 1 to 500.
    pub page_cap: u32,
    /// Whether the Pro endpoints answer.
    pub paid: bool,
}

/// The terms of every plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plans([Terms; 4]);

/// Spec silent: the plans' figures.
const DEFAULTS: [Terms; 4] = [
    Terms {
        requests_per_minute: 60,
        requests_per_day: 1_000,
        page_cap: 100,
        paid: false,
    },
    Terms {
        requests_per_minute: 300,
        requests_per_day: 50_000,
        page_cap: 500,
        paid: true,
    },
    Terms {
        requests_per_minute: 600,
        requests_per_day: 200_000,
        page_cap: 500,
        paid: true,
    },
    Terms {
        requests_per_minute: 1_200,
        requests_per_day: 1_000_000,
        page_cap: 500,
        paid: true,
    },
];

impl Plan {
    pub const ALL: [Plan; 4] = [Plan::Basic, Plan::Pro, Plan::Ultra, Plan::Mega];

    pub const fn name(self) -> &'static str {
        match self {
            Plan::Basic => "BASIC",
            Plan::Pro => "PRO",
            Plan::Ultra => "ULTRA",
            Plan::Mega => "MEGA",
        }
    }

    pub fn parse(name: &str) -> Option<Plan> {
        Plan::ALL
            .into_iter()
            .find(|plan| plan.name().eq_ignore_ascii_case(name))
    }

    /// The four names, for an error or a help text.
    pub fn names() -> String {
        Plan::ALL.map(Plan::name).join(", ")
    }
}

impl Default for Plans {
    fn default() -> Plans {
        Plans(DEFAULTS)
    }
}

impl Plans {
    pub fn terms(&self, plan: Plan) -> &Terms {
        &self.0[plan as usize]
    }

    /// The defaults, overridden by what the file says.
    pub fn from_file(path: &Path) -> anyhow::Result<Plans> {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Plans::parse(&text).with_context(|| format!("{} cannot be used", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Plans> {
        let mut plans = Plans::default();
        for (name, table) in text.parse::<toml::Table>()? {
            let plan = Plan::ALL.into_iter().find(|plan| plan.name() == name);
            let (Some(plan), Some(table)) = (plan, table.as_table()) else {
                bail!("[{name}] is no plan; the plans are {}", Plan::names());
            };
            for (key, value) in table {
                let terms = &mut plans.0[plan as usize];
                set(terms, key, value).with_context(|| format!("[{name}] {key}"))?;
            }
        }
        Ok(plans)
    }
}

fn set(terms: &mut Terms, key: &str, value: &toml::Value) -> anyhow::Result<()> {
    let figure = |most: u32| -> anyhow::Result<u32> {
        let figure = value.as_integer().and_then(|figure| u32::try_from(figure).ok());
        figure
            .filter(|figure| (1..=most).contains(figure))
            .with_context(|| format!("must be an integer from 1 to {most}, not {value}"))
    };
    match key {
        "requests_per_minute" => terms.requests_per_minute = figure(u32::MAX)?,
        "requests_per_day" => terms.requests_per_day = figure(u32::MAX)?,
        "page_cap" => terms.page_cap = figure(500)?,
        "paid" => {
            ensure!(value.is_bool(), "must be true or false, not {value}");
            terms.paid = value.as_bool().unwrap_or_default();
        }
        _ => bail!("is unknown; a plan has requests_per_minute, requests_per_day, page_cap, paid"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_overrides_what_it_names() {
        let plans = Plans::parse("[BASIC]\npage_cap = 25\n[PRO]\npaid = false\nrequests_per_day = 7\n").unwrap();
        assert_eq!(plans.terms(Plan::Basic).page_cap, 25);
        assert_eq!(plans.terms(Plan::Basic).requests_per_minute, 60);
        assert!(!plans.terms(Plan::Pro).paid);
        assert_eq!(plans.terms(Plan::Pro).requests_per_day, 7);
        assert_eq!(Plans::parse("").unwrap(), Plans::default());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, why) in [
            ("[GOLD]\n", "[GOLD] is no plan; the plans are BASIC, PRO, ULTRA, MEGA"),
            ("BASIC = 3\n", "[BASIC] is no plan"),
            ("[PRO]\npages = 3\n", "[PRO] pages: is unknown; a plan has"),
            (
                "[PRO]\npage_cap = 501\n",
                "[PRO] page_cap: must be an integer from 1 to 500, not 501",
            ),
            ("[PRO]\npaid = 1\n", "[PRO] paid: must be true or false, not 1"),
            ("[PRO\n", "TOML parse error"),
        ] {
            let error = format!("{:#}", Plans::parse(text).unwrap_err());
            assert!(error.starts_with(why), "{error}");
        }
    }
}
