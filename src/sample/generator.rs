//! Everything a publisher's module needs to write its records, one after another, into the same buffers.

use super::{
    buyers::{Buyer, BuyerList, Buyers},
    calendar::SampleCalendar,
    lists::Bilingual,
    notice_subject::coined_ranks,
    phrases::Phrases,
    places::{Places, Province},
    project::{Project, ProjectChoices, Publisher},
    random::{Random, Sequence, ZipfRanks},
    record_writer::RecordWriter,
    suppliers::{Supplier, SupplierMarket},
    topics::{Topic, TopicTable, Trade},
};
use crate::model::{Date, Language};

pub(super) struct Generator {
    pub(super) topics: TopicTable,
    pub(super) phrases: Phrases,
    pub(super) calendar: SampleCalendar,
    pub(super) random: Random,
    pub(super) project: Project,
    pub(super) supplier: Supplier,
    pub(super) record: RecordWriter,
    publisher: Publisher,
    buyers: Buyers,
    places: Places,
    coined_words: ZipfRanks,
    quebec_suppliers: ZipfRanks,
    canada_suppliers: ZipfRanks,
    fetched_at: String,
}

impl Generator {
    /// The number of suppliers follows from that of records: about one for ten.
    pub(super) fn new(seed: u64, records: u64, last_day: Date) -> Generator {
        Generator {
            topics: TopicTable::read(),
            phrases: Phrases::read(),
            calendar: SampleCalendar::new(last_day),
            random: Random::new(seed),
            project: Project::default(),
            supplier: Supplier::default(),
            record: RecordWriter::default(),
            publisher: Publisher::Seao,
            buyers: Buyers::read(),
            places: Places::read(),
            coined_words: coined_ranks(),
            quebec_suppliers: ZipfRanks::new(200 + records / 10),
            canada_suppliers: ZipfRanks::new(100 + records / 40),
            fetched_at: format!("{last_day}T06:00:00Z"),
        }
    }

    /// Starts a record: sets the publisher's `project`-th project and the supplier of its `part`-th contract, then
    /// starts the draws of the record itself, the `record.1`-th of the `record.0`-th source.
    pub(super) fn start(&mut self, publisher: Publisher, project: u64, part: u32, record: (u8, u64)) {
        self.publisher = publisher;
        let (market, suppliers) = match publisher {
            Publisher::Seao | Publisher::Montreal => (SupplierMarket::Quebec, self.quebec_suppliers),
            _ => (SupplierMarket::Canada, self.canada_suppliers),
        };
        let choices = ProjectChoices {
            buyers: buyer_list(&self.buyers, publisher),
            market,
            suppliers,
            topics: &self.topics,
            coined_words: self.coined_words,
            places: &self.places,
            calendar: &self.calendar,
        };
        self.project.set(publisher, project, &choices, &mut self.random);
        let trades = &self.topics.trades;
        // The next supplier of the same trade for each further contract.
        let supplier = self.project.supplier + part * trades.len() as u32;
        let trade = &trades[market.trade(supplier, trades)];
        self.supplier
            .set(market, supplier, trade, (&mut self.random, &self.places));
        self.random.start(Sequence::Record(record.0), record.1);
        self.record.start();
    }

    /// The project's buyer.
    pub(super) fn buyer(&self) -> &Buyer {
        &buyer_list(&self.buyers, self.publisher).buyers[self.project.buyer]
    }

    /// The project's topic.
    pub(super) fn topic(&self) -> &Topic {
        self.project.subject.topic(&self.topics)
    }

    /// The trade of the project's topic.
    pub(super) fn trade(&self) -> &Trade {
        &self.topics.trades[self.topic().trade]
    }

    pub(super) fn day(&mut self, name: &str, day: i32) {
        self.record.text(name, self.calendar.day(day));
    }

    pub(super) fn title(&mut self, name: &str, language: Language) {
        let (subject, topics) = (&self.project.subject, &self.topics);
        self.record.fill(name, |out| subject.push_title(language, topics, out));
    }

    pub(super) fn description(&mut self, name: &str, language: Language) {
        let (subject, topics) = (&self.project.subject, &self.topics);
        self.record
            .fill(name, |out| subject.push_description(language, topics, out));
    }

    pub(super) fn supplier_name(&mut self, name: &str) {
        let (supplier, random) = (&self.supplier, &mut self.random);
        self.record.fill(name, |out| supplier.push_spelling(random, out));
    }

    /// The supplier's place, the province in one of its spellings.
    pub(super) fn supplier_place(&mut self) {
        let province = &self.places.provinces[self.supplier.province];
        let spellings = [province.code, province.name.en, province.name.en, province.name.fr];
        self.record.text("vendor_city", self.supplier.city);
        self.record.text("vendor_province", self.random.choose(&spellings));
        self.record.text("vendor_postal_code", &self.supplier.postal_code);
        self.record.text("vendor_country", province.country);
    }

    pub(super) fn supplier_province(&self) -> &Province {
        &self.places.provinces[self.supplier.province]
    }

    pub(super) fn money(&mut self, name: &str, cents: Option<i64>) {
        if let Some(cents) = cents {
            self.record.money(name, cents);
        }
    }

    /// The region where the project is carried out, as federal notices name it: a drawn one if the title names no city.
    pub(super) fn region(&mut self) -> Bilingual {
        let drawn = self.random.choose(&self.phrases.regions).text;
        let Some(city) = self.project.subject.city else {
            return drawn;
        };
        let province = &self.places.provinces[city.province];
        match (city.name, province.code) {
            ("Ottawa" | "Kanata", _) => self.phrases.regions[0].text,
            (_, "ON") => self.phrases.regions[1].text,
            _ => province.name,
        }
    }

    pub(super) fn federal_department(&mut self) {
        let department = &self.buyers.federal.buyers[self.project.buyer];
        self.record.text("department_en", &department.name);
        self.record.text("department_fr", department.name_fr);
    }

    pub(super) fn fetched_at(&mut self) {
        self.record.text("fetched_at", &self.fetched_at);
    }
}

fn buyer_list(buyers: &Buyers, publisher: Publisher) -> &BuyerList {
    match publisher {
        Publisher::Seao => &buyers.quebec,
        Publisher::Montreal => &buyers.montreal,
        Publisher::Toronto => &buyers.toronto,
        Publisher::NovaScotia => &buyers.nova_scotia,
        Publisher::Canadabuys | Publisher::Disclosure | Publisher::StandingOffers => &buyers.federal,
    }
}
