//! The municipality of a record: slugs of cities, and of federal, provincial and unassigned
//! municipal bodies.
//!
//! The table is `data/municipalities.csv`. Quebec's municipalities are from the Répertoire des
//! municipalités du Québec (Ministère des Affaires municipales et de l'Habitation, Données Québec,
//! CC BY 4.0); of the other provinces it has the larger cities. [`of_buyer`] finds the city of a
//! municipal body; it returns only slugs of the table.
//!
//! How slugs are made.
//!
//! - A slug is the folded name, ASCII letters and digits joined by hyphens, `St` and `Ste` spelled
//!   out (`saint-jerome`).
//! - Two municipalities with the same province and name: the first in the order ville,
//!   municipalité, village, paroisse, canton has the plain slug, the other adds its designation
//!   (`disraeli-paroisse`).
//! - With the same designation, both add their county (`saint-elzear-bonaventure`); the name alone
//!   identifies neither.
//! - A city outside Quebec whose slug is taken adds its province (`waterloo-on`), as do Quebec's
//!   Richmond and Windsor (`windsor-qc`).
//! - A municipality that has merged or changed its name has its records under today's slug
//!   (`Asbestos` → `val-des-sources`), a borough under the slug of its city.

mod buyer;
mod table;

pub(crate) use buyer::{named_cities, without_forms};
pub use buyer::{of_buyer, of_quebec_buyer};
pub use table::{
    FEDERAL, Municipality, PROVINCES, QUEBEC_MUNICIPAL, QUEBEC_PROVINCIAL, by_slug, is_unknown_city, province_code,
    province_of_postal_code,
};
