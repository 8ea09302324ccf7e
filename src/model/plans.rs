//! Plans and their limits. The defaults can be overridden by a TOML file of the operator.

use std::{fs, num::NonZeroU32, path::Path};

use anyhow::{Context, anyhow};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A plan; the first is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Basic,
    Pro,
    Ultra,
    Mega,
}

/// The limits of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanLimits {
    /// The limit per minute, and the maximum burst.
    pub(crate) requests_per_minute: NonZeroU32,
    /// Per day in UTC.
    pub(crate) requests_per_day: NonZeroU32,
    /// The maximum number of records on a page, 1 to 500.
    pub(crate) page_cap: u32,
    /// Whether the Pro endpoints are available.
    pub(crate) paid: bool,
}

/// The limits of every plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plans {
    of_keys: [PlanLimits; 4],
    /// The limits of a visitor of the pages who has no key. No key can have this plan.
    visitor: PlanLimits,
}

/// The default limits.
const DEFAULTS: [PlanLimits; 4] = [
    limits(60, 1_000, 100, false),
    limits(300, 50_000, 500, true),
    limits(600, 200_000, 500, true),
    limits(1_200, 1_000_000, 500, true),
];

/// The default limits of a visitor without a key: what a person reads, and less than a program wants.
const VISITOR_DEFAULTS: PlanLimits = limits(30, 500, 50, false);

const fn limits(per_minute: u32, per_day: u32, page_cap: u32, paid: bool) -> PlanLimits {
    PlanLimits {
        requests_per_minute: at_least_one(per_minute),
        requests_per_day: at_least_one(per_day),
        page_cap,
        paid,
    }
}

const fn at_least_one(figure: u32) -> NonZeroU32 {
    match NonZeroU32::new(figure) {
        Some(figure) => figure,
        None => NonZeroU32::MIN,
    }
}

impl PlanLimits {
    /// The limits of this many clients together.
    pub(crate) fn times(self, clients: u32) -> PlanLimits {
        let clients = at_least_one(clients);
        PlanLimits {
            requests_per_minute: self.requests_per_minute.saturating_mul(clients),
            requests_per_day: self.requests_per_day.saturating_mul(clients),
            ..self
        }
    }
}

impl Plan {
    pub(crate) const ALL: [Plan; 4] = [Plan::Basic, Plan::Pro, Plan::Ultra, Plan::Mega];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Plan::Basic => "BASIC",
            Plan::Pro => "PRO",
            Plan::Ultra => "ULTRA",
            Plan::Mega => "MEGA",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Plan> {
        Plan::ALL
            .into_iter()
            .find(|plan| plan.name().eq_ignore_ascii_case(name))
    }

    /// The four names, for an error or a help text.
    pub(crate) fn names() -> String {
        Plan::ALL.map(Plan::name).join(", ")
    }
}

impl Default for Plans {
    fn default() -> Plans {
        Plans {
            of_keys: DEFAULTS,
            visitor: VISITOR_DEFAULTS,
        }
    }
}

impl Plans {
    /// The name of the visitors' plan in the file of the operator.
    pub(crate) const VISITOR: &str = "VISITOR";

    pub(crate) fn limits(&self, plan: Plan) -> &PlanLimits {
        &self.of_keys[plan as usize]
    }

    pub(crate) fn visitor(&self) -> &PlanLimits {
        &self.visitor
    }

    /// The limits that a table of the file sets.
    fn named(&mut self, name: &str) -> Option<&mut PlanLimits> {
        if name == Plans::VISITOR {
            return Some(&mut self.visitor);
        }
        let plan = Plan::ALL.into_iter().find(|plan| plan.name() == name)?;
        Some(&mut self.of_keys[plan as usize])
    }

    /// The defaults, overridden by the file. An error names the file, the line and the expected
    /// value.
    pub(crate) fn from_file(path: &Path) -> anyhow::Result<Plans> {
        let bytes = fs::read(path).with_context(|| format!("reading the plans file {}", path.display()))?;
        let parsed = match std::str::from_utf8(&bytes) {
            Ok(text) => Plans::parse(text),
            Err(error) => Err(anyhow!("line {}: is not UTF-8", line(&bytes, error.valid_up_to()))),
        };
        parsed.with_context(|| format!("the plans file {} cannot be used", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Plans> {
        let line = |at: usize| line(text.as_bytes(), at);
        let file = DeTable::parse(text).map_err(|error| {
            anyhow!(
                "line {}: {}",
                line(error.span().unwrap_or_default().start),
                error.message()
            )
        })?;
        let mut plans = Plans::default();
        for (name, table) in file.get_ref() {
            let at = line(name.span().start);
            let name = name.get_ref();
            let limits = plans.named(name).with_context(|| {
                let (names, visitor) = (Plan::names(), Plans::VISITOR);
                format!("line {at}: [{name}] is not a plan; the plans are {names}, {visitor}")
            })?;
            let table = table.get_ref().as_table();
            let table = table.with_context(|| {
                format!("line {at}: {name} must be a table: write [{name}], and its limits below it")
            })?;
            for (key, value) in table {
                let written = text.get(value.span()).expect("a span of the parsed text");
                set(limits, key.get_ref(), value, written)
                    .map_err(|why| anyhow!("line {}: [{name}] {}: {why}", line(key.span().start), key.get_ref()))?;
            }
        }
        Ok(plans)
    }
}

/// The number of the line with a byte.
fn line(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|byte| **byte == b'\n').count()
}

/// Sets one limit. `written` is the value as in the file. The error describes what is wrong with
/// the value.
fn set(limits: &mut PlanLimits, key: &str, value: &Spanned<DeValue>, written: &str) -> Result<(), String> {
    let value = value.get_ref();
    let written = written.lines().next().unwrap_or_default();
    let figure = |most: u32| {
        let figure = value
            .as_integer()
            .and_then(|integer| u32::from_str_radix(integer.as_str(), integer.radix()).ok());
        figure
            .filter(|figure| *figure <= most)
            .and_then(NonZeroU32::new)
            .ok_or_else(|| format!("must be an integer from 1 to {most}, not {written}"))
    };
    match key {
        "requests_per_minute" => limits.requests_per_minute = figure(u32::MAX)?,
        "requests_per_day" => limits.requests_per_day = figure(u32::MAX)?,
        "page_cap" => limits.page_cap = figure(500)?.get(),
        "paid" => {
            let paid = value.as_bool();
            limits.paid = paid.ok_or_else(|| format!("must be true or false, not {written}"))?;
        }
        _ => {
            return Err("is unknown; a plan has requests_per_minute, requests_per_day, page_cap, paid".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_overrides_the_limits_that_it_names() {
        let plans = Plans::parse("[BASIC]\npage_cap = 25\n[PRO]\npaid = false\nrequests_per_day = 1_000\n").unwrap();
        assert_eq!(plans.limits(Plan::Basic).page_cap, 25);
        assert_eq!(plans.limits(Plan::Basic).requests_per_minute.get(), 60);
        assert!(!plans.limits(Plan::Pro).paid);
        assert_eq!(plans.limits(Plan::Pro).requests_per_day.get(), 1_000);
        assert_eq!(plans.limits(Plan::Mega), &limits(1_200, 1_000_000, 500, true));
        assert_eq!(Plans::parse("# nothing\n").unwrap(), Plans::default());
        let open = Plans::parse("[VISITOR]\nrequests_per_minute = 7\n").unwrap();
        assert_eq!(open.visitor().requests_per_minute.get(), 7);
        assert_eq!(open.limits(Plan::Basic), Plans::default().limits(Plan::Basic));
    }

    #[test]
    fn errors_name_line_and_reason() {
        let range = "must be an integer from 1 to 4294967295, not";
        for (text, why) in [
            (
                "\n[GOLD]\n",
                "line 2: [GOLD] is not a plan; the plans are BASIC, PRO, ULTRA, MEGA, VISITOR".to_owned(),
            ),
            ("[basic]\n", "line 1: [basic] is not a plan".to_owned()),
            (
                "BASIC = 3\n",
                "line 1: BASIC must be a table: write [BASIC], and".to_owned(),
            ),
            (
                "[PRO]\npages = 3\n",
                "line 2: [PRO] pages: is unknown; a plan has".to_owned(),
            ),
            (
                "[PRO]\npaid = true\npage_cap = 501\n",
                "line 3: [PRO] page_cap: must be an integer from 1 to 500, not 501".to_owned(),
            ),
            (
                "[PRO]\nrequests_per_minute = 0\n",
                format!("line 2: [PRO] requests_per_minute: {range} 0"),
            ),
            (
                "[PRO]\nrequests_per_day = -5\n",
                format!("line 2: [PRO] requests_per_day: {range} -5"),
            ),
            (
                "[PRO]\nrequests_per_day = 99999999999999999999\n",
                format!("line 2: [PRO] requests_per_day: {range} 9999"),
            ),
            (
                "[PRO]\nrequests_per_day = \"5\"\n",
                format!("line 2: [PRO] requests_per_day: {range} \"5\""),
            ),
            (
                "[PRO]\nrequests_per_day = 5.0\n",
                format!("line 2: [PRO] requests_per_day: {range} 5.0"),
            ),
            (
                "[PRO]\npaid = 1\n",
                "line 2: [PRO] paid: must be true or false, not 1".to_owned(),
            ),
            ("[PRO]\npaid = true\npaid = true\n", "line 3: duplicate key".to_owned()),
            ("[PRO]\n[PRO]\n", "line 2: duplicate key".to_owned()),
            ("[PRO\n", "line 1: ".to_owned()),
        ] {
            let error = format!("{:#}", Plans::parse(text).unwrap_err());
            assert!(error.starts_with(&why), "{error}");
            assert!(!error.contains('\n'), "one sentence: {error}");
        }
    }

    #[test]
    fn an_unreadable_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.toml");
        let error = |path: &Path| format!("{:#}", Plans::from_file(path).unwrap_err());
        assert!(error(&path).starts_with(&format!("reading the plans file {}", path.display())));
        assert!(error(folder.path()).contains("directory"));
        fs::write(&path, b"[PRO]\n# \xe9\n").unwrap();
        assert_eq!(
            error(&path),
            format!("the plans file {} cannot be used: line 2: is not UTF-8", path.display())
        );
    }
}
