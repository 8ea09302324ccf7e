//! The code tables of the proactive disclosure of contracts, for those codes that records show with
//! a label.
//!
//! A row is a code with the publisher's English and French labels (Treasury Board Secretariat, Open
//! Government Licence - Canada).

pub(crate) type Code = (&'static str, &'static str, &'static str);

/// The labels of a code; codes are compared without case.
pub(crate) fn labels(table: &'static [Code], code: &str) -> Option<(&'static str, &'static str)> {
    let found = table.iter().find(|(known, ..)| known.eq_ignore_ascii_case(code));
    found.map(|(_, en, fr)| (*en, *fr))
}

/// How bids were solicited.
#[rustfmt::skip]
pub(crate) const SOLICITATION_PROCEDURES: &[Code] = &[
    ("AC", "Advance Contract Award Notice", "Préavis d’adjudication de contrat"),
    ("OB", "Competitive – Open Bidding (GETS)", "Concurrentielle – Invitation ouverte à soumissionner (SEAOG)"),
    ("ST", "Competitive – Selective Tendering", "Concurrentielle – Appel d’offres sélectif"),
    ("TC", "Competitive – Traditional", "Concurrentielle – Traditionnelle"),
    ("TN", "Non-Competitive", "Non concurrentielle"),
];

/// Why tendering was limited; `00` means not limited.
#[rustfmt::skip]
pub(crate) const LIMITED_TENDERING_REASONS: &[Code] = &[
    ("05", "No response to bid solicitation", "Aucune réponse à une invitation à soumissionner"),
    ("20", "Goods purchased on a commodity market", "Biens achetés conformément à un marché de produits de base"),
    ("21", "Purchases made under exceptionally advantageous conditions", "Achats effectués selon des conditions exceptionnellement avantageuses"),
    ("22", "Winner of an architectural design contest", "Lauréat d’un concours de conception architecturale"),
    ("23", "Consulting services regarding matters of a confidential nature (for contracts not covered by CETA, TCA ,WTO-GPA, CPTPP, CKFTA and CUFTA)", "Services confidentiels d’experts-conseils (pour les marchés non visés par l’AECG, l’ACC, l’AMP-OMC, le PTPGP, l’ALECC et l’ALECU)"),
    ("24", "Additional construction services (discontinued as of 2022-01-01)", "Services de construction supplémentaire (discontinué à partir de 2022-01-01)"),
    ("25", "New construction services (discontinued as of 2022-01-01)", "Nouveaux services de construction (discontinué à partir de 2022-01-01)"),
    ("30", "Work on a property by a contractor according to a warranty or guarantee (for contracts that are only covered by the CFTA)", "Travaux exécutés sur un bien par un entrepreneur conformément à une garantie (pour les marchés qui sont visés par l’ALEC seulement)"),
    ("31", "Work on a leased building or related property performed only by the lessor (for contracts that are only covered by the CFTA)", "Travaux exécutés sur un édifice loué ou un bien connexe qui sont réalisés par le locateur seulement (pour les marchés qui sont visés par l’ALEC seulement)"),
    ("32", "Subscriptions to newspapers, magazines, or other periodicals (for contracts that are only covered by the CFTA)", "Abonnements à des journaux, des magazines ou d’autres périodiques (pour les marchés qui sont visés par l’ALEC seulement)"),
    ("33", "Goods regarding matters of a confidential or privileged nature (for contracts that are only covered by the CFTA)", "Biens concernant des questions de nature confidentielle ou privilégiée (pour les marchés qui sont visés par l’ALEC seulement)"),
    ("71", "Exclusive rights", "Droits exclusifs"),
    ("72", "Prototype purchase", "Achat de prototype"),
    ("74", "Additional deliveries (formerly Interchangeable Parts)", "Livraisons supplémentaires (anciennement Pièces interchangeables)"),
    ("81", "Extreme urgency", "Urgence extrême"),
    ("85", "Low dollar-value (discontinued as of 2022-01-01)", "Faible valeur (discontinué à partir de 2022-01-01)"),
    ("86", "Prices and/or sources fixed by government regulations (discontinued as of 2022-01-01)", "Prix ou fournisseurs déterminés par des règlements gouvernementaux (discontinué à partir de 2022-01-01)"),
    ("87", "Government objectives representing best interests/value (discontinued as of 2022-01-01)", "Objectifs gouvernementaux représentant les meilleurs (discontinué à partir de 2022-01-01)"),
    ("90", "Protection of human, animal, or plant Life or health (discontinued as of 2022-01-01)", "Protection de la vie ou de la santé des personnes, animaux, plantes (discontinué à partir de 2022-01-01)"),
];

/// Comprehensive land claims agreements; `NA` means none.
#[rustfmt::skip]
pub(crate) const LAND_CLAIMS_AGREEMENTS: &[Code] = &[
    ("JN", "James Bay and Northern Quebec Agreement", "Convention de la Baie James et du Nord québécois"),
    ("NQ", "Northeastern Quebec Agreement", "Convention du Nord-Est québécois"),
    ("NI", "Nunavik Inuit Land Claims Agreement", "Accord sur les revendications territoriales des Inuit du Nunavik"),
    ("EM", "Eeyou Marine Region Land Claims Agreement", "Accord sur les revendications territoriales concernant la région marine d’Eeyou"),
    ("LI", "Labrador Inuit Land Claim Agreement", "Accord sur les revendications territoriales des Inuit du Labrador"),
    ("NU", "Nunavut Agreement (Agreement between the Inuit of the Nunavut Settlement Area and Her Majesty the Queen in right of Canada)", "Accord du Nunavut (Accord entre les Inuit de la région du Nunavut et Sa Majesté la Reine du chef du Canada)"),
    ("IF", "Inuvialuit Final Agreement", "Convention définitive des Inuvialuits"),
    ("GW", "Gwich'in Comprehensive Land Claim Agreement", "Entente sur la revendication territoriale globale des Gwich’in"),
    ("SD", "Sahtu Dene and Metis Comprehensive Land Claim Agreement", "Entente sur la revendication territoriale globale des Dénés et des Métis du Sahtu"),
    ("TA", "Tlicho Agreement", "Accord tlicho"),
    ("CH", "Champagne and Aishihik First Nations Final Agreement", "Entente définitive des Premières Nations de Champagne et de Aishihik"),
    ("FN", "First Nation of Nacho Nyak Dun Final Agreement", "Entente définitive de la Première nation des Nacho Nyak Dun"),
    ("TT", "Teslin Tlingit Council Final Agreement", "Entente définitive du Conseil des Tlingits de Teslin"),
    ("VG", "Vuntut Gwitchin First Nation Final Agreement", "Entente définitive de la Première nation des Gwitchin Vuntut"),
    ("SF", "Selkirk First Nation Final Agreement", "Entente définitive de la Première nation de Selkirk"),
    ("LS", "Little Salmon/Carmacks First Nation Final Agreement", "Entente définitive de la Première nation de Little Salmon/Carmacks"),
    ("TH", "Tr'ondëk Hwëch'in Final Agreement", "Entente définitive des Tr’ondëk Hwëch’in"),
    ("TK", "Ta'an Kwach'an Council Final Agreement", "Entente définitive du conseil des Ta’an Kwach’an"),
    ("KF", "Kluane First Nation Final Agreement", "Entente définitive avec la Première nation de Kluane"),
    ("KD", "Kwanlin Dun First Nation Final Agreement", "Entente définitive de la Première nation des Kwanlin Dun"),
    ("CT", "Carcross/Tagish First Nation Final Agreement", "Entente définitive de la Première Nation de Carcross-Tagish"),
    ("NF", "Nisga'a Final Agreement", "Accord définitif Nisga’a"),
    ("TF", "Tsawwassen First Nation Final Agreement", "Accord définitif de la Première Nation de Tsawwassen"),
    ("MF", "Maa-nulth First Nations Final Agreement", "Accord définitif des premières nations maa-nulthes"),
    ("TL", "Tla'amin Final Agreement", "Accord définitif des Tla’amins"),
    ("YA", "Yale First Nations Final Agreement", "Accord définitif de la Première Nation de Yale"),
];

/// Trade agreements: code, short name, English name; `XX` means none.
#[rustfmt::skip]
pub(crate) const TRADE_AGREEMENTS: &[Code] = &[
    ("NA", "NAFTA", "North American Free Trade Agreement"),
    ("GP", "WTO-AGP", "World Trade Organization – Agreement on Government Procurement"),
    ("CL", "CCFTA", "Canada-Chile Free Trade Agreement"),
    ("PE", "CPFTA", "Canada-Peru Free Trade Agreement"),
    ("CO", "CCoFTA", "Canada-Colombia Free Trade Agreement"),
    ("PA", "CPaFTA", "Canada-Panama Free Trade Agreement"),
    ("HN", "CHFTA", "Canada-Honduras Free Trade Agreement"),
    ("KR", "CKFTA", "Canada-Korea Free Trade Agreement"),
    ("CA", "CFTA", "Canadian Free Trade Agreement"),
    ("EU", "CETA", "Comprehensive Economic Free Trade Agreement"),
    ("TP", "CPTPP", "Comprehensive and Progressive Agreement for Trans-Pacific Partnership"),
    ("UA", "CUFTA", "Canada-Ukraine Free Trade Agreement"),
    ("UK", "TCA", "Canada-United Kingdom Trade Continuity Agreement"),
];

/// The combinations of trade agreements that codes of one or two letters meant before 2022: the code,
/// and the abbreviations separated by blanks.
#[rustfmt::skip]
pub(crate) const AGREEMENT_TYPES: &[(&str, &str)] = &[
    ("Y", "WTO-AGP NAFTA CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("Z", "WTO-AGP NAFTA"),
    ("X", "WTO-AGP CFTA CCFTA CKFTA"),
    ("C", "NAFTA CFTA"),
    ("W", "WTO-AGP CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("N", "NAFTA CCFTA CCoFTA CHFTA CPaFTA"),
    ("I", "CFTA"),
    ("A", "ABSA"),
    ("R", "LCSA"),
    ("P", "NAFTA CFTA CCFTA CCoFTA CHFTA CPaFTA"),
    ("S", "NAFTA CFTA CCFTA CCoFTA CHFTA CPaFTA CKFTA"),
    ("T", "NAFTA CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("U", "CCFTA"),
    ("V", "CFTA CCFTA CKFTA"),
    ("D", "CETA TCA CFTA"),
    ("E", "CETA TCA WTO-AGP CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("F", "CETA TCA WTO-AGP NAFTA CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("AA", "CCFTA CCoFTA CHFTA CPaFTA"),
    ("AB", "CFTA CCFTA CCoFTA CHFTA CPaFTA CKFTA"),
    ("AC", "CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA"),
    ("AD", "CETA TCA WTO-AGP CFTA CCFTA CKFTA"),
    ("AE", "CHFTA"),
    ("AF", "CFTA CHFTA"),
    ("AG", "CETA TCA CFTA CHFTA"),
    ("AH", "CKFTA"),
    ("AI", "CFTA CKFTA"),
    ("AJ", "CFTA NAFTA CKFTA"),
    ("AK", "CPTPP"),
    ("AL", "CFTA CPTPP"),
    ("AM", "CFTA CETA TCA CPTPP"),
    ("AN", "CFTA CHFTA CETA TCA CPTPP"),
    ("AO", "CFTA CCFTA CKFTA WTO-AGP CPTPP"),
    ("AP", "CFTA NAFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA WTO-AGP CETA TCA CPTPP"),
    ("AQ", "CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA WTO-AGP CETA TCA CPTPP"),
    ("AR", "CFTA NAFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA WTO-AGP CPTPP"),
    ("AS", "CFTA CCFTA CCoFTA CHFTA CPaFTA CPFTA CKFTA WTO-AGP CPTPP"),
    ("AT", "CFTA CCFTA CKFTA"),
    ("AU", "CFTA CCFTA CKFTA WTO-AGP CETA TCA CPTPP"),
    ("AV", "CFTA CCFTA"),
    ("AW", "CFTA CCFTA CPTPP"),
    ("AX", "CFTA CKFTA WTO-AGP CETA TCA"),
    ("AY", "CFTA CKFTA WTO-AGP CETA TCA CPTPP"),
    ("AZ", "CFTA CKFTA WTO-AGP CPTPP"),
    ("BA", "ABSA LCSA"),
];
