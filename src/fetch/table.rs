//! Where the public files are: one row for each source that `normalize` reads, and the files a row stands for on a given day.

use chrono::{Datelike, NaiveDate};

/// A publisher's files, under one licence.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// As `normalize` calls it.
    pub id: &'a str,
    /// Where people read about it, and find the files.
    pub page: &'a str,
    pub licence: &'a str,
    /// What the licence asks whoever shows the data to say.
    pub attribution: &'a str,
    /// How often the publisher brings news.
    pub rhythm: &'a str,
    /// The page a browser would come from, where the host minds.
    pub referer: Option<&'a str>,
    /// What is known to go wrong there; said with each failure.
    pub quirk: Option<&'a str>,
    pub files: &'a [Files<'a>],
}

#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    One(&'a str, Format),
    /// `{year}` is a fiscal year, April to March, as `2009-2010`: each from the one that begins in `first` to today's.
    FiscalYears {
        pattern: &'a str,
        first: i32,
        format: Format,
    },
    /// A CKAN `package_show` call, and the formats wanted of the resources it lists.
    Catalogue(&'a str, &'a [Format]),
    /// Not to be had by a plain request; the words say what a person does.
    ByHand(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
    Xml,
    Zip,
}

impl Format {
    /// As catalogues and file names say it.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Csv => "CSV",
            Format::Json => "JSON",
            Format::Xml => "XML",
            Format::Zip => "ZIP",
        }
    }
}

type Row = Source<'static>;

/// What CanadaBuys' rows share.
const CANADABUYS: Row = Source {
    id: "",
    page: "https://canadabuys.canada.ca/en/procurement-and-contracting-data",
    licence: "Open Government Licence – Canada",
    attribution: "Contains information licensed under the Open Government Licence – Canada.",
    rhythm: "daily",
    referer: Some("https://canadabuys.canada.ca/en/procurement-and-contracting-data"),
    quirk: None,
    files: &[],
};

const BUYANDSELL: Row = Source {
    page: "https://open.canada.ca/data/en/dataset/53753f06-8b28-42d7-89f7-04cd014323b0",
    rhythm: "frozen",
    referer: None,
    files: &[Files::ByHand(
        "buyandsell.gc.ca is closed; take the file from an archive of it",
    )],
    ..CANADABUYS
};

const SEAO: Row = Source {
    id: "",
    page: "https://www.donneesquebec.ca/recherche/dataset/systeme-electronique-dappel-doffres-seao",
    licence: "CC BY 4.0",
    attribution: "Système électronique d'appel d'offres (SEAO), Secrétariat du Conseil du trésor du Québec, CC BY 4.0, adapted.",
    rhythm: "weekly",
    referer: None,
    quirk: None,
    files: &[],
};
const SEAO_CATALOGUE: &str =
    "https://www.donneesquebec.ca/recherche/api/3/action/package_show?id=systeme-electronique-dappel-doffres-seao";

pub static SOURCES: &[Row] = &[
    Source {
        id: "canadabuys-tender",
        files: &[
            Files::One(
                "https://canadabuys.canada.ca/opendata/pub/openTenderNotice-ouvertAvisAppelOffres.csv",
                Format::Csv,
            ),
            Files::FiscalYears {
                pattern: "https://canadabuys.canada.ca/opendata/pub/{year}-TenderNotice-AvisAppelOffres.csv",
                first: 2022,
                format: Format::Csv,
            },
            Files::One(
                "https://canadabuys.canada.ca/opendata/pub/2009-2022-tenderNoticeHistorical-AvisAppelOffresHistorique.csv",
                Format::Csv,
            ),
        ],
        ..CANADABUYS
    },
    Source {
        id: "canadabuys-award",
        files: &[
            Files::FiscalYears {
                pattern: "https://canadabuys.canada.ca/opendata/pub/{year}-awardNotice-avisAttribution.csv",
                first: 2022,
                format: Format::Csv,
            },
            Files::One(
                "https://canadabuys.canada.ca/opendata/pub/2012-2022-awardNoticeHistorical-avisAttributionHistorique.csv",
                Format::Csv,
            ),
        ],
        ..CANADABUYS
    },
    Source {
        id: "canadabuys-contract",
        rhythm: "monthly",
        // The two that hold every year: the yearly files leave out the first months of 2009.
        files: &[
            Files::One(
                "https://canadabuys.canada.ca/opendata/pub/contractHistoryComplete-contratsOctroyesComplet.csv",
                Format::Csv,
            ),
            Files::One(
                "https://canadabuys.canada.ca/opendata/pub/2009-2023-contractHistoryHistorical-contratsOctroyesHistorique.csv",
                Format::Csv,
            ),
        ],
        ..CANADABUYS
    },
    Source {
        id: "canadabuys-sosa",
        rhythm: "weekly",
        quirk: Some(
            "this host is known to send its certificate without the intermediate one, which only browsers mend",
        ),
        files: &[Files::One(
            "https://sosa.canadabuys.canada.ca/cds/opendata/tpsgc-pwgsc_ocama-sosa.csv",
            Format::Csv,
        )],
        ..CANADABUYS
    },
    Source {
        id: "disclosure",
        page: "https://open.canada.ca/data/en/dataset/d8f85d91-7dec-4fd1-8055-483b77225d8b",
        rhythm: "quarterly",
        referer: None,
        files: &[Files::One(
            "https://open.canada.ca/data/dataset/d8f85d91-7dec-4fd1-8055-483b77225d8b/resource/fac950c0-00d5-4ec1-a4d3-9cbebf98a305/download/contracts.csv",
            Format::Csv,
        )],
        ..CANADABUYS
    },
    Source {
        id: "disclosure-export",
        page: "https://search.open.canada.ca/contracts/",
        rhythm: "on demand",
        referer: None,
        files: &[Files::ByHand(
            "search, and ask the page for an export of what was found",
        )],
        ..CANADABUYS
    },
    Source {
        id: "buyandsell-tender",
        page: "https://open.canada.ca/data/en/dataset/ffd38960-1853-4c19-ba26-e50bea2cb2d5",
        ..BUYANDSELL
    },
    Source {
        id: "buyandsell-contract",
        ..BUYANDSELL
    },
    Source {
        id: "seao-xml",
        rhythm: "frozen",
        files: &[Files::Catalogue(SEAO_CATALOGUE, &[Format::Zip, Format::Xml])],
        ..SEAO
    },
    Source {
        id: "seao-ocds",
        files: &[Files::Catalogue(SEAO_CATALOGUE, &[Format::Json])],
        ..SEAO
    },
    Source {
        id: "montreal",
        page: "https://donnees.montreal.ca",
        licence: "CC BY 4.0",
        attribution: "Contrats octroyés, Ville de Montréal, CC BY 4.0, adapted.",
        rhythm: "monthly",
        referer: None,
        quirk: None,
        files: &[
            Files::Catalogue(
                "https://donnees.montreal.ca/api/3/action/package_show?id=contrats-octroyes-par-les-fonctionnaires-ville-centrale",
                &[Format::Csv],
            ),
            Files::Catalogue(
                "https://donnees.montreal.ca/api/3/action/package_show?id=contrats-conseil-municipal-et-conseil-d-agglomeration",
                &[Format::Csv],
            ),
            Files::Catalogue(
                "https://donnees.montreal.ca/api/3/action/package_show?id=contrats-comite-executif",
                &[Format::Csv],
            ),
            Files::Catalogue(
                "https://donnees.montreal.ca/api/3/action/package_show?id=contrats-conseils-d-arrondissement",
                &[Format::Csv],
            ),
        ],
    },
    Source {
        id: "toronto",
        page: "https://open.toronto.ca",
        licence: "Open Government Licence – Toronto",
        attribution: "Contains information licensed under the Open Government Licence – Toronto.",
        rhythm: "daily",
        referer: None,
        quirk: None,
        files: &[
            Files::Catalogue(
                "https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-awarded-contracts",
                &[Format::Csv],
            ),
            Files::Catalogue(
                "https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-non-competitive-contracts",
                &[Format::Csv],
            ),
            Files::Catalogue(
                "https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-all-open-solicitations",
                &[Format::Csv],
            ),
        ],
    },
    Source {
        id: "novascotia",
        page: "https://data.novascotia.ca/d/m6ps-8j6u",
        licence: "Open Government Licence – Nova Scotia",
        attribution: "Contains information licensed under the Open Government Licence – Nova Scotia.",
        rhythm: "monthly",
        referer: None,
        quirk: None,
        files: &[Files::One(
            "https://data.novascotia.ca/api/views/m6ps-8j6u/rows.csv?accessType=DOWNLOAD",
            Format::Csv,
        )],
    },
    Source {
        id: "alberta",
        page: "https://purchasing.alberta.ca",
        licence: "Open Government Licence – Alberta",
        attribution: "Contains information licensed under the Open Government Licence – Alberta.",
        rhythm: "daily",
        referer: None,
        quirk: None,
        files: &[Files::ByHand(
            "there is no open file; the site answers searches with JSON that `normalize` reads",
        )],
    },
];

/// The table, a line a source.
pub fn listing() -> String {
    let line =
        |id: &str, rhythm: &str, licence: &str, page: &str| format!("{id:<20} {rhythm:<10} {licence:<37} {page}\n");
    let rows = SOURCES
        .iter()
        .map(|row| line(row.id, row.rhythm, row.licence, row.page));
    line("SOURCE", "NEWS", "LICENCE", "PAGE") + &rows.collect::<String>()
}

/// The pattern's addresses, oldest first; the last may not be published yet.
pub fn fiscal_years(pattern: &str, first: i32, today: NaiveDate) -> Vec<String> {
    let last = if today.month() >= 4 {
        today.year()
    } else {
        today.year() - 1
    };
    (first..=last)
        .map(|year| pattern.replace("{year}", &format!("{year}-{}", year + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::sources;

    #[test]
    fn a_fiscal_year_begins_in_april() {
        let years = |y, m, d| {
            let today = NaiveDate::from_ymd_opt(y, m, d).unwrap();
            fiscal_years("{year}", 2022, today)
        };
        assert_eq!(years(2024, 3, 31), ["2022-2023", "2023-2024"]);
        assert_eq!(years(2024, 4, 1), ["2022-2023", "2023-2024", "2024-2025"]);
    }

    #[test]
    fn every_source_that_normalize_reads_has_one_row() {
        let ids: HashSet<&str> = SOURCES.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), SOURCES.len(), "a source has two rows");
        for source in sources::SOURCES {
            assert!(ids.contains(source.id), "{} has no row", source.id);
        }
    }

    #[test]
    fn a_row_is_complete() {
        for row in SOURCES {
            for text in [row.id, row.page, row.licence, row.attribution, row.rhythm] {
                assert!(!text.is_empty(), "{row:?}");
            }
            assert!(row.page.starts_with("https://"), "{}", row.id);
            assert!(!row.files.is_empty(), "{}", row.id);
            for files in row.files {
                match files {
                    Files::One(url, _) | Files::Catalogue(url, _) => assert!(url.starts_with("https://"), "{url}"),
                    Files::FiscalYears { pattern, .. } => assert!(pattern.contains("{year}"), "{pattern}"),
                    Files::ByHand(_) => {}
                }
            }
        }
    }
}
