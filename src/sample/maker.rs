//! Everything a source needs at hand to write its records, one after another, into the same buffers.

use super::{
    buyers::Buyers,
    calendar::Calendar,
    dice::{Dice, Ranks, Stream},
    project::{Choice, Project, Publisher},
    row::Row,
    subject::Language,
    vendors::{Market, Vendor},
    words::Words,
};

pub struct Maker {
    pub words: Words,
    pub calendar: Calendar,
    pub buyers: Buyers,
    pub dice: Dice,
    pub project: Project,
    pub vendor: Vendor,
    pub row: Row,
    quebec_vendors: Ranks,
    canada_vendors: Ranks,
}

impl Maker {
    /// `records` tells how many suppliers there are: about one for ten records.
    pub fn new(seed: u64, records: u64) -> Maker {
        let words = Words::read();
        Maker {
            buyers: Buyers::new(&words),
            words,
            calendar: Calendar::new(),
            dice: Dice::new(seed),
            project: Project::default(),
            vendor: Vendor::default(),
            row: Row::default(),
            quebec_vendors: Ranks::new(200 + records / 10),
            canada_vendors: Ranks::new(100 + records / 40),
        }
    }

    /// Makes the project the publisher's `number`-th, and the supplier that of its `part`-th contract; then opens the
    /// draws of the record itself.
    pub fn open(&mut self, publisher: Publisher, project: u64, part: u32, record: (u8, u64)) {
        let (market, buyers) = match publisher {
            Publisher::Seao | Publisher::Montreal => (Market::Quebec, self.buyers.quebec_ranks),
            Publisher::NovaScotia => (Market::Canada, self.buyers.nova_scotia_ranks),
            _ => (Market::Canada, self.buyers.federal_ranks),
        };
        let vendors = match market {
            Market::Quebec => self.quebec_vendors,
            Market::Canada => self.canada_vendors,
        };
        let choice = Choice {
            market,
            buyers,
            vendors,
        };
        self.project.become_number(
            publisher,
            project,
            choice,
            (&mut self.dice, &self.words, &self.calendar),
        );
        let vendor = self.project.vendor + part;
        self.vendor.become_number(market, vendor, &mut self.dice, &self.words);
        self.dice.open(Stream::Record(record.0), record.1);
    }

    pub fn day(&mut self, name: &str, day: i32) {
        self.row.text(name, self.calendar.day(day));
    }

    pub fn title(&mut self, name: &str, language: Language) {
        let Maker {
            row, project, words, ..
        } = self;
        row.fill(name, |out| project.subject.title(language, words, out));
    }

    pub fn description(&mut self, name: &str, language: Language) {
        let Maker {
            row, project, words, ..
        } = self;
        row.fill(name, |out| project.subject.description(language, words, out));
    }

    pub fn vendor_name(&mut self, name: &str) {
        let Maker { row, vendor, dice, .. } = self;
        row.fill(name, |out| vendor.push_spelling(dice, out));
    }

    /// The supplier's place, the province spelled as clerks do.
    pub fn vendor_place(&mut self) {
        let Maker { row, vendor, dice, .. } = self;
        let province = vendor.province;
        row.text("vendor_city", &vendor.city);
        row.text(
            "vendor_province",
            dice.pick(&[province.code, province.en, province.en, province.fr]),
        );
        row.text("vendor_postal_code", &vendor.postal_code);
        row.text("vendor_country", province.country);
    }

    pub fn money(&mut self, name: &str, cents: Option<i64>) {
        if let Some(cents) = cents {
            self.row.money(name, cents);
        }
    }

    /// The department of a federal project.
    pub fn federal_department(&mut self) {
        let department = &self.words.federal[self.project.buyer];
        self.row.text("department_en", department.name.en);
        self.row.text("department_fr", department.name.fr);
    }
}
