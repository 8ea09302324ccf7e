//! SEAO's XML exports (`<export datedebut datefin>`): notices, and what became of their contracts.
//!
//! A row is a child of the root. In Avis and AvisRevisions it is a notice: it gives a tender and, for each winner among
//! its bidders, a contract. In Contrats and Depenses it is a contract's end or a notice's spending, joined to the
//! contracts by [`seao_ledger`](crate::sources::seao::ledger). The generations of the layout differ by the case of one tag and by elements that
//! the older lacks. Of a notice told twice the one entered last counts, of one entry the newest export's; a revision counts as entered on its export's last day.

use std::{borrow::Cow, io::Read};

use serde_json::json;

use crate::model::{date::Date, entity_type::EntityType, fold::fold};
use crate::sources::{
    Broken, FileFacts, Head,
    reading::{
        batches,
        decode::{STRAY, Utf8},
        intake::{Draft, Intake, Rank, Record, Remark, Tally, unknown},
        text,
        xml::{Element, Row, Rows},
    },
    seao::{
        Awarded, OF_THE_NOTICE, XML, apart,
        codes::{self, MUNICIPAL_GROUNDS, OTHER_NATURES, PROVINCIAL_GROUNDS, Regions, TYPES, Unit, label},
        contract_record_id, documents,
        ledger::{self, Contractor, Expense, Final, Spending, Told},
        neq, place, vendor_country, vendor_province,
    },
};

pub fn recognizes(head: &Head) -> bool {
    let root = &head.root;
    root.name == "export" && root.attributes.iter().any(|name| name == "datefin")
}

/// The days an export covers, and when it is from.
struct Export {
    first: Option<Date>,
    last: Option<Date>,
    is_of_2016_on: bool,
    published: String,
}

impl Export {
    fn of(rows: &mut Rows, file: &FileFacts) -> Result<Export, Broken> {
        let mut days = rows.root(&["datedebut", "datefin"])?.into_iter();
        let mut day = || Date::parse_prefix(days.next()??.as_str()).ok();
        let (first, last) = (day(), day());
        Ok(Export {
            first,
            last,
            is_of_2016_on: last >= Date::parse("2016-01-01").ok(),
            published: last.map_or(file.fetched_at.clone(), |day| format!("{day}T00:00:00Z")),
        })
    }

    fn covers(&self, day: Option<Date>) -> bool {
        day.is_some() && self.first <= day && day <= self.last
    }

    fn exported(&self) -> i64 {
        self.last.map_or(0, |day| day.days().into())
    }
}

/// Reads one export; what speaks of contracts of other exports is remarked on their notice.
pub fn read(file: &FileFacts, input: Utf8<&mut dyn Read>, out: &mut Intake) -> Result<(), Broken> {
    let mut rows = Rows::new(input);
    let export = Export::of(&mut rows, file)?;
    let next = |read: &mut ParsedRow| {
        let is_row = rows.next(&mut read.row)?;
        read.is_repaired = rows.take_repaired();
        Ok(is_row)
    };
    batches::draft_each(out, next, |read, out| {
        let Some(row) = read.row.element() else { return Ok(()) };
        out.row();
        if read.is_repaired {
            out.tally.note(row.line(), STRAY);
        }
        let Some(number) = row.line_of("numeroseao") else {
            out.tally.skip(row.line(), "no notice number");
            return Ok(());
        };
        let told = match row.name() {
            "avis" if row.child("organisme").is_some() => {
                let draft = Notice::new(row, &export, out.tally).draft(number.into_owned());
                return out.keep(row.line(), draft);
            }
            "avis" => Told::Spending(spending(row, &export, out.tally)),
            "contrat" => Told::Final(contract_end(row, out.tally)),
            _ => {
                out.tally.skip(row.line(), "neither a notice, a contract nor spending");
                return Ok(());
            }
        };
        let remark = Remark {
            group: number.into_owned(),
            rank: ledger::rank(export.exported()),
            said: serde_json::to_value(told)?,
        };
        out.remark(row.line(), remark)
    })
}

/// A row as it was parsed.
#[derive(Default)]
struct ParsedRow {
    row: Row,
    is_repaired: bool,
}

impl batches::Parsed for ParsedRow {
    fn size(&self) -> usize {
        self.row.size()
    }
}

fn contractor(row: Element) -> Contractor {
    Contractor {
        neq: neq(row.raw("neqcontractant")),
        folded_name: fold(&text::organization(row.raw("nomcontractant")).unwrap_or_default()),
    }
}

fn contract_end(row: Element, tally: &mut Tally) -> Final {
    Final {
        contractor: contractor(row),
        amount: money(row, "montantfinal", row.line(), tally).filter(|amount| *amount > 0.0),
        end: day(row, "datefinale", row.line(), tally),
    }
}

fn spending(row: Element, export: &Export, tally: &mut Tally) -> Spending {
    let mut items = Vec::new();
    for expense in row.child("depenses").into_iter().flat_map(Element::children) {
        let Some(amount) = money(expense, "montantdepense", expense.line(), tally) else {
            continue;
        };
        items.push(Expense {
            contractor: contractor(expense),
            published: day(expense, "datepublicationdepense", expense.line(), tally),
            cents: (amount * 100.0).round() as i64,
        });
    }
    Spending {
        restates: items.iter().any(|item| !export.covers(item.published)) || items.is_empty(),
        items,
    }
}

fn day(row: Element, name: &str, line: u64, tally: &mut Tally) -> Option<Date> {
    text::date(row.raw(name)).unwrap_or_else(|_| {
        tally.note(line, &format!("impossible date in {name}, left out"));
        None
    })
}

fn money(row: Element, name: &str, line: u64, tally: &mut Tally) -> Option<f64> {
    text::given_amount(row.raw(name)).unwrap_or_else(|_| {
        tally.note(line, &format!("unreadable amount in {name}, left out"));
        None
    })
}

/// A notice on its way to a tender and its contracts.
struct Notice<'a> {
    row: Element<'a>,
    export: &'a Export,
    tally: &'a mut Tally,
    closing: Option<Date>,
    awarded: Option<Date>,
}

impl<'a> Notice<'a> {
    fn new(row: Element<'a>, export: &'a Export, tally: &'a mut Tally) -> Notice<'a> {
        Notice {
            row,
            export,
            closing: day(row, "datefermeture", row.line(), tally),
            awarded: day(row, "dateadjudication", row.line(), tally),
            tally,
        }
    }

    fn draft(mut self, number: String) -> Draft {
        let rank = self.rank();
        let tender = self.tender(&number);
        let mut records = vec![tender];
        let mut contracts = Vec::new();
        let bidders = self.row.child("fournisseurs").into_iter().flat_map(Element::children);
        for bidder in bidders.filter(|bidder| bidder.raw("adjudicataire").trim() == "1") {
            let Some(contract) = self.contract(&number, bidder, &records[0]) else {
                self.tally
                    .note(bidder.line(), "a winner without a name, no contract recorded");
                continue;
            };
            contracts.push((bidder.line(), contract));
        }
        let what = "a winner listed twice in the same words, recorded once";
        records.extend(apart(contracts, |line| self.tally.note(line, what)));
        let winners = records.len() - 1;
        let (status, english, french) = self.status(winners);
        records[0].set("status", Some(status));
        records[0].set("status_en", Some(english));
        records[0].set("status_fr", Some(french));
        // A winner's contract runs until its final amount is published.
        for contract in &mut records[1..] {
            contract.set("status", Some("Active"));
            contract.set("status_en", Some("Awarded"));
            contract.set("status_fr", Some("Adjugé"));
        }
        Draft {
            group: number,
            member: XML.to_owned(),
            rank,
            records,
        }
    }

    /// A notice whose award was entered while the export's days ran is of the day of that entry, so that a release of that
    /// day is newer; any other may be a revision, of a day that is not told: it counts as of the export's last.
    fn rank(&mut self) -> Rank {
        let entered = self.day("datesaisieadjudication");
        let exported = self.export.exported();
        // Days before 1970 do not occur; were one to, it would rank as the oldest.
        let ranked = |day: i64, within: i64| Rank(u64::try_from(day).unwrap_or(0), within);
        match entered.filter(|day| self.export.covers(Some(*day))) {
            // Of two exports of one entry the later is the newer, and a release of that day is newer than both.
            Some(day) => ranked(day.days().into(), exported.saturating_sub(i64::from(u32::MAX))),
            None => ranked(exported, 1),
        }
    }

    fn tender(&mut self, number: &str) -> Record {
        let row = self.row;
        let mut tender = Record::new(EntityType::Tender);
        tender.set("record_id", Some(format!("seao|{number}")));
        tender.set("reference_number", Some(number));
        tender.set("ocid", Some(format!("ocds-ec9k95-{number}")));
        for field in ["solicitation_number", "tender_id", "tender_number"] {
            tender.set(field, row.line_of("numero"));
        }
        tender.set(
            "publication_date",
            self.day("datepublication").map(|day| day.to_string()),
        );
        let closing = self.closing.map(|day| day.to_string());
        tender.set(
            "tender_close_date",
            closing.as_ref().and_then(|_| row.line_of("datefermeture")),
        );
        tender.set("closing_date", closing);
        tender.set("title_fr", row.line_of("titre"));
        let buyer = text::organization(row.raw("organisme"));
        tender.set("department_fr", buyer.clone());
        tender.set("buyer_name", buyer.clone());
        let (municipality, level) = place(
            row.raw("municipal").trim() == "1",
            &buyer.unwrap_or_default(),
            row.raw("ville"),
        );
        tender.set("municipality", Some(municipality));
        tender.set("government_level", Some(level));
        tender.set("province", Some("QC"));
        let category = codes::category(row.raw("nature"));
        if category.is_none() {
            self.check("nature", |code| OTHER_NATURES.contains(&code));
        }
        tender.set("procurement_category", category);
        tender.set(
            "category",
            row.line_of("categorieseao").or_else(|| self.words_of_nature()),
        );
        self.check("type", |code| TYPES.iter().any(|kind| kind.code == code));
        if let Some(kind) = TYPES.iter().find(|kind| kind.code == row.raw("type").trim()) {
            tender.set("procurement_method", kind.method.word);
            tender.set("procurement_method_en", Some(kind.method.english));
            tender.set("procurement_method_fr", Some(kind.method.french));
            tender.set("notice_type_en", Some(kind.notice_en));
            tender.set("notice_type_fr", Some(kind.notice_fr));
        }
        tender.set("unspsc", row.line_of("unspscprincipale"));
        let table = self.regions();
        let mut regions: Vec<&str> = Vec::new();
        for code in row
            .raw("regionlivraison")
            .split(',')
            .filter(|code| !code.trim().is_empty())
        {
            match table.label(code) {
                Some(region) => regions.push(region),
                None => self.note_unknown("regionlivraison", code),
            }
        }
        tender.set(
            "regions_of_delivery_fr",
            (!regions.is_empty()).then(|| regions.join("; ")),
        );
        let grounds = match level {
            "municipal" => MUNICIPAL_GROUNDS,
            _ => PROVINCIAL_GROUNDS,
        };
        self.check("disposition", |code| label(grounds, code).is_some());
        let ground = label(grounds, row.raw("disposition"));
        tender.set("eligibility", ground.map(|ground| json!({"disposition": ground})));
        let page = row.line_of("hyperlienseao");
        tender.set("documents", page.as_deref().map(documents));
        tender.set("notice_url", page);
        tender.set("fetched_at", Some(self.export.published.as_str()));
        tender
    }

    /// As buyers' towns tell: the export of 2009, whose notices have neither city nor title, numbers regions as the specification
    /// does; exports since 2016, whose notices have both, by Quebec's own numbers, notices from before included. Of the years
    /// between no export is known, and the specification of December 2014 may be true of any.
    fn regions(&self) -> Regions {
        let tells = |name| self.row.child(name).is_some();
        match (tells("ville"), tells("titre")) {
            (false, false) if !self.export.is_of_2016_on => Regions::Specified,
            (true, true) if self.export.is_of_2016_on => Regions::Administrative,
            _ => Regions::Untold,
        }
    }

    /// `0Déneigement` → `Déneigement`: what was bought, told in words where no category fits.
    fn words_of_nature(&self) -> Option<Cow<'a, str>> {
        text::as_line(
            self.row
                .raw("precision")
                .trim_start_matches(|c: char| c.is_ascii_digit()),
        )
    }

    /// The exports tell no status. A notice with a winner, with an award date, or past its closing is over.
    fn status(&self, winners: usize) -> (&'static str, &'static str, &'static str) {
        if winners > 0 {
            ("Expired", "Awarded", "Adjugé")
        } else if self.awarded.is_some() || self.closing.is_none() || self.closing <= self.export.last {
            ("Expired", "Closed", "Fermé")
        } else {
            ("Open", "Open", "Ouvert")
        }
    }

    fn contract(&mut self, number: &str, winner: Element, tender: &Record) -> Option<Record> {
        let vendor = text::organization(winner.raw("nomorganisation"))?;
        let mut contract = Record::new(EntityType::Contract);
        for field in OF_THE_NOTICE {
            contract.set(field, tender.get(field));
        }
        let award_date = self.awarded.map(|day| day.to_string());
        let unit = winner.raw("montantssoumisunite").trim();
        if !codes::is_known_unit(unit) {
            self.note_unknown("montantssoumisunite", unit);
        }
        let neq = neq(winner.raw("neq"));
        let awarded = Awarded {
            bid: money(winner, "montantsoumis", winner.line(), self.tally),
            amount: money(winner, "montantcontrat", winner.line(), self.tally),
            total: money(winner, "montanttotalcontrat", winner.line(), self.tally),
            unit: Unit::of(unit),
        };
        let record_id = contract_record_id(number, neq.as_deref(), &vendor, award_date.as_deref(), awarded.stated());
        contract.set("record_id", Some(record_id));
        contract.set("award_date", award_date);
        contract.set("vendor_name", Some(vendor));
        contract.set("vendor_id", neq.map(|neq| format!("FO-{neq}")));
        contract.set("vendor_city", winner.line_of("ville"));
        contract.set("vendor_province", vendor_province(winner.raw("province")));
        contract.set("vendor_postal_code", text::postal_code(winner.raw("codepostal")));
        let country = vendor_country(winner.raw("pays"));
        if country.is_none() && !winner.raw("pays").trim().is_empty() {
            self.note_unknown("pays", winner.raw("pays"));
        }
        contract.set("vendor_country", country);
        contract.set("supplier_address", address(winner));
        contract.set("contract_value", awarded.value());
        contract.set("currency", Some(awarded.currency()));
        Some(contract)
    }

    /// Notes a code that its table does not have; the field that would tell its meaning stays empty.
    fn check(&mut self, name: &str, is_known: impl Fn(&str) -> bool) {
        let code = self.row.raw(name).trim();
        if !code.is_empty() && !is_known(code) {
            self.note_unknown(name, code);
        }
    }

    fn note_unknown(&mut self, name: &str, code: &str) {
        self.tally.note(self.row.line(), &unknown(name, code));
    }

    fn day(&mut self, name: &str) -> Option<Date> {
        day(self.row, name, self.row.line(), self.tally)
    }
}

fn address(winner: Element) -> Option<String> {
    let lines = ["adresse1", "adresse2", "ville", "province", "codepostal"];
    let lines: Vec<Cow<str>> = lines.iter().filter_map(|name| winner.line_of(name)).collect();
    (!lines.is_empty()).then(|| lines.join(", "))
}
