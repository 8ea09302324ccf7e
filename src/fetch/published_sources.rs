//! Where the public files are: one row for each source that `normalize` reads.

use chrono::{Datelike, NaiveDate};

/// A source's files, under one licence.
#[derive(Clone, Copy, Debug)]
pub struct PublishedSource<'a> {
    /// The `source_id`, as in `normalize`.
    pub id: &'a str,
    /// The web page that describes the files and links to them.
    pub page: &'a str,
    pub licence: &'a str,
    /// What the licence requires everyone who shows the data to state.
    pub attribution: &'a str,
    pub update_frequency: &'a str,
    /// The `Referer` header, for a host that requires one.
    pub referer: Option<&'a str>,
    /// A known problem of the host, which is added to each failure.
    pub known_problem: Option<&'a str>,
    /// Decision D-183: the maximum length of a file in bytes, several times the length of the
    /// longest one today. A server that sends more has failed or was taken over, and must not fill the disk.
    pub max_file_bytes: u64,
    pub files: &'a [SourceFiles<'a>],
}

#[derive(Clone, Copy, Debug)]
pub enum SourceFiles<'a> {
    One(&'a str, FileFormat),
    /// One file for each fiscal year (April to March) from the one that begins in `first` until
    /// today's. `{year}` in the pattern is replaced by a year such as `2009-2010`.
    FiscalYears {
        pattern: &'a str,
        first: i32,
        format: FileFormat,
    },
    /// A CKAN `package_show` call, and the wanted formats of the files that it lists.
    Ckan(&'a str, &'a [FileFormat]),
    /// Cannot be downloaded by a plain request.
    Manual {
        /// Why not, as a sentence without a full stop.
        why: &'a str,
        /// What a person has to do, in this order. `{folder}` stands for the folder of the source.
        steps: &'a [&'a str],
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Csv,
    Json,
    Xml,
    Zip,
}

impl FileFormat {
    /// The name in file lists; in lower case, the file name extension.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            FileFormat::Csv => "CSV",
            FileFormat::Json => "JSON",
            FileFormat::Xml => "XML",
            FileFormat::Zip => "ZIP",
        }
    }
}

const GIB: u64 = 1 << 30;

/// What the rows of CanadaBuys share.
const CANADABUYS: PublishedSource = PublishedSource {
    id: "",
    page: "https://canadabuys.canada.ca/en/procurement-and-contracting-data",
    licence: "Open Government Licence – Canada",
    attribution: "Contains information licensed under the Open Government Licence – Canada.",
    update_frequency: "daily",
    referer: Some("https://canadabuys.canada.ca/en/procurement-and-contracting-data"),
    known_problem: None,
    max_file_bytes: 4 * GIB,
    files: &[],
};

const BUYANDSELL: PublishedSource = PublishedSource {
    page: "https://open.canada.ca/data/en/dataset/53753f06-8b28-42d7-89f7-04cd014323b0",
    update_frequency: "frozen",
    referer: None,
    files: &[],
    ..CANADABUYS
};

const BUYANDSELL_CLOSED: &str = "buyandsell.gc.ca is closed, and its files are only in web archives";

const SEAO: PublishedSource = PublishedSource {
    id: "",
    page: "https://www.donneesquebec.ca/recherche/dataset/systeme-electronique-dappel-doffres-seao",
    licence: "CC BY 4.0",
    attribution: "Système électronique d'appel d'offres (SEAO), Secrétariat du Conseil du trésor du Québec, CC BY 4.0, adapted.",
    update_frequency: "weekly",
    referer: None,
    known_problem: None,
    max_file_bytes: 4 * GIB,
    files: &[],
};
const SEAO_CATALOGUE: &str =
    "https://www.donneesquebec.ca/recherche/api/3/action/package_show?id=systeme-electronique-dappel-doffres-seao";

const fn csv(url: &str) -> SourceFiles<'_> {
    SourceFiles::One(url, FileFormat::Csv)
}

const fn ckan_csv(url: &str) -> SourceFiles<'_> {
    SourceFiles::Ckan(url, &[FileFormat::Csv])
}

const fn yearly_csv(pattern: &str, first: i32) -> SourceFiles<'_> {
    let format = FileFormat::Csv;
    SourceFiles::FiscalYears { pattern, first, format }
}

#[rustfmt::skip]
pub static PUBLISHED_SOURCES: &[PublishedSource] = &[
    PublishedSource {
        id: "canadabuys-tender",
        files: &[
            csv("https://canadabuys.canada.ca/opendata/pub/openTenderNotice-ouvertAvisAppelOffres.csv"),
            yearly_csv("https://canadabuys.canada.ca/opendata/pub/{year}-TenderNotice-AvisAppelOffres.csv", 2022),
            csv("https://canadabuys.canada.ca/opendata/pub/2009-2022-tenderNoticeHistorical-AvisAppelOffresHistorique.csv"),
        ],
        ..CANADABUYS
    },
    PublishedSource {
        id: "canadabuys-award",
        files: &[
            yearly_csv("https://canadabuys.canada.ca/opendata/pub/{year}-awardNotice-avisAttribution.csv", 2022),
            csv("https://canadabuys.canada.ca/opendata/pub/2012-2022-awardNoticeHistorical-avisAttributionHistorique.csv"),
        ],
        ..CANADABUYS
    },
    PublishedSource {
        id: "canadabuys-contract",
        update_frequency: "monthly",
        // These two files have all years. The yearly files lack the first months of 2009.
        files: &[
            csv("https://canadabuys.canada.ca/opendata/pub/contractHistoryComplete-contratsOctroyesComplet.csv"),
            csv("https://canadabuys.canada.ca/opendata/pub/2009-2023-contractHistoryHistorical-contratsOctroyesHistorique.csv"),
        ],
        ..CANADABUYS
    },
    PublishedSource {
        id: "canadabuys-sosa",
        update_frequency: "weekly",
        known_problem: Some(
            "this host is known to send its certificate without the intermediate certificate, which only browsers add",
        ),
        files: &[csv("https://sosa.canadabuys.canada.ca/cds/opendata/tpsgc-pwgsc_ocama-sosa.csv")],
        ..CANADABUYS
    },
    PublishedSource {
        id: "disclosure",
        page: "https://open.canada.ca/data/en/dataset/d8f85d91-7dec-4fd1-8055-483b77225d8b",
        update_frequency: "quarterly",
        referer: None,
        files: &[csv("https://open.canada.ca/data/dataset/d8f85d91-7dec-4fd1-8055-483b77225d8b/resource/fac950c0-00d5-4ec1-a4d3-9cbebf98a305/download/contracts.csv")],
        ..CANADABUYS
    },
    PublishedSource {
        id: "disclosure-export",
        page: "https://search.open.canada.ca/contracts/",
        update_frequency: "on demand",
        referer: None,
        files: &[SourceFiles::Manual {
            why: "the search page exports its results only in a browser",
            steps: &[
                "Open https://search.open.canada.ca/contracts/ in a browser, and search.",
                "Export the results as CSV, and save the file in {folder}.",
            ],
        }],
        ..CANADABUYS
    },
    PublishedSource {
        id: "buyandsell-tender",
        page: "https://open.canada.ca/data/en/dataset/ffd38960-1853-4c19-ba26-e50bea2cb2d5",
        files: &[SourceFiles::Manual {
            why: BUYANDSELL_CLOSED,
            steps: &[
                "Open https://web.archive.org/web/*/https://buyandsell.gc.ca/procurement-data/csv/tender* in a browser.",
                "Save a copy of the file of active or expired tenders in {folder}.",
            ],
        }],
        ..BUYANDSELL
    },
    PublishedSource {
        id: "buyandsell-contract",
        files: &[SourceFiles::Manual {
            why: BUYANDSELL_CLOSED,
            steps: &[
                "Open https://web.archive.org/web/*/https://buyandsell.gc.ca/cds/public/contracts/* in a browser.",
                "Save a copy of tpsgc-pwgsc_co-ch_tous-all.csv in {folder}.",
            ],
        }],
        ..BUYANDSELL
    },
    PublishedSource {
        id: "seao-xml",
        update_frequency: "frozen",
        files: &[SourceFiles::Ckan(SEAO_CATALOGUE, &[FileFormat::Zip, FileFormat::Xml])],
        ..SEAO
    },
    PublishedSource {
        id: "seao-ocds",
        files: &[SourceFiles::Ckan(SEAO_CATALOGUE, &[FileFormat::Json])],
        ..SEAO
    },
    PublishedSource {
        id: "montreal",
        page: "https://donnees.montreal.ca",
        licence: "CC BY 4.0",
        attribution: "Contrats octroyés, Ville de Montréal, CC BY 4.0, adapted.",
        update_frequency: "monthly",
        referer: None,
        known_problem: None,
        max_file_bytes: GIB,
        files: &[
            ckan_csv("https://donnees.montreal.ca/api/3/action/package_show?id=contrats-octroyes-par-les-fonctionnaires-ville-centrale"),
            ckan_csv("https://donnees.montreal.ca/api/3/action/package_show?id=contrats-conseil-municipal-et-conseil-d-agglomeration"),
            ckan_csv("https://donnees.montreal.ca/api/3/action/package_show?id=contrats-comite-executif"),
            ckan_csv("https://donnees.montreal.ca/api/3/action/package_show?id=contrats-conseils-d-arrondissement"),
        ],
    },
    PublishedSource {
        id: "toronto",
        page: "https://open.toronto.ca",
        licence: "Open Government Licence – Toronto",
        attribution: "Contains information licensed under the Open Government Licence – Toronto.",
        update_frequency: "daily",
        referer: None,
        known_problem: None,
        max_file_bytes: GIB,
        files: &[
            ckan_csv("https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-awarded-contracts"),
            ckan_csv("https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-non-competitive-contracts"),
            ckan_csv("https://ckan0.cf.opendata.inter.prod-toronto.ca/api/3/action/package_show?id=tobids-all-open-solicitations"),
        ],
    },
    PublishedSource {
        id: "novascotia",
        page: "https://data.novascotia.ca/d/m6ps-8j6u",
        licence: "Open Government Licence – Nova Scotia",
        attribution: "Contains information licensed under the Open Government Licence – Nova Scotia.",
        update_frequency: "monthly",
        referer: None,
        known_problem: None,
        max_file_bytes: GIB,
        files: &[csv("https://data.novascotia.ca/api/views/m6ps-8j6u/rows.csv?accessType=DOWNLOAD")],
    },
    PublishedSource {
        id: "alberta",
        page: "https://purchasing.alberta.ca",
        licence: "Open Government Licence – Alberta",
        attribution: "Contains information licensed under the Open Government Licence – Alberta.",
        update_frequency: "daily",
        referer: None,
        known_problem: None,
        max_file_bytes: GIB,
        files: &[SourceFiles::Manual {
            why: "there is no public file, only the JSON with which the site answers searches",
            steps: &[
                "Ask the site for its newest 100 opportunities:\n\
                 curl --fail -o '{folder}/0.json' -H 'Content-Type: application/json' -d '{\"query\":\"\",\"filter\":{\"solicitationNumber\":\"\",\"categories\":[],\"statuses\":[],\"agreementTypes\":[],\"solicitationTypes\":[],\"opportunityTypes\":[],\"deliveryRegions\":[],\"deliveryRegion\":\"\",\"organizations\":[],\"unspsc\":[],\"postDateRange\":\"$$custom\",\"closeDateRange\":\"$$custom\",\"onlyBookmarked\":false,\"onlyInterestExpressed\":false},\"limit\":100,\"offset\":0,\"sortOptions\":[{\"field\":\"PostDateTime\",\"direction\":\"desc\"}]}' https://purchasing.alberta.ca/api/opportunity/search",
                "Repeat it with offset 100 and the file 100.json, 200 and 200.json, and so on, until `values` of an answer is empty; `totalCount` states how many there are.",
                "If the site refuses the request, search on https://purchasing.alberta.ca/search in a browser, and save the answer of the request `search` from the network panel of its developer tools.",
                "For the contracts of an opportunity, such as AB-2025-04052, also save https://purchasing.alberta.ca/api/opportunity/public/2025/4052 in {folder}.",
            ],
        }],
    },
];

/// The table as text, one line per source.
pub(crate) fn listing() -> String {
    let line =
        |id: &str, updates: &str, licence: &str, page: &str| format!("{id:<20} {updates:<10} {licence:<37} {page}\n");
    let rows = PUBLISHED_SOURCES
        .iter()
        .map(|row| line(row.id, row.update_frequency, row.licence, row.page));
    line("SOURCE", "UPDATES", "LICENCE", "PAGE") + &rows.collect::<String>()
}

/// The addresses of all fiscal years, oldest first. The last one may not be published yet.
pub(crate) fn fiscal_years(pattern: &str, first: i32, today: NaiveDate) -> Vec<String> {
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
    use crate::sources::registry;

    #[test]
    fn fiscal_years_begin_in_april() {
        let years = |y, m, d| {
            let today = NaiveDate::from_ymd_opt(y, m, d).unwrap();
            fiscal_years("{year}", 2022, today)
        };
        assert_eq!(years(2024, 3, 31), ["2022-2023", "2023-2024"]);
        assert_eq!(years(2024, 4, 1), ["2022-2023", "2023-2024", "2024-2025"]);
    }

    #[test]
    fn every_source_of_normalize_has_one_row() {
        let ids: HashSet<&str> = PUBLISHED_SOURCES.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), PUBLISHED_SOURCES.len(), "a source has two rows");
        for source in registry::SOURCES {
            assert!(ids.contains(source.id), "{} has no row", source.id);
        }
    }

    #[test]
    fn a_row_is_complete() {
        for row in PUBLISHED_SOURCES {
            for text in [row.id, row.page, row.licence, row.attribution, row.update_frequency] {
                assert!(!text.is_empty(), "{row:?}");
            }
            assert!(row.page.starts_with("https://"), "{}", row.id);
            assert!(!row.files.is_empty(), "{}", row.id);
            assert!(row.max_file_bytes >= GIB, "{}", row.id);
            for files in row.files {
                match files {
                    SourceFiles::One(url, _) | SourceFiles::Ckan(url, _) => {
                        assert!(url.starts_with("https://"), "{url}")
                    }
                    SourceFiles::FiscalYears { pattern, .. } => assert!(pattern.contains("{year}"), "{pattern}"),
                    SourceFiles::Manual { why, steps } => {
                        assert!(!why.ends_with('.'), "{why}");
                        assert!(steps.iter().any(|step| step.contains("{folder}")), "{}", row.id);
                        assert!(steps.iter().any(|step| step.contains("https://")), "{}", row.id);
                    }
                }
            }
        }
    }
}
