//! Query parameters and request bodies: tables of parameters, how they are read, and what they mean.
//!
//! Each query parameter is one [`param::Param`] row of its endpoint's table. Reading, error texts, the nearest valid
//! name and the OpenAPI document use the row. Reading has two steps: [`read`] parses each value by its own type;
//! [`resolve`] checks it against the entity type's schema, the plan and the city slugs. A value's error does not name
//! the parameter: [`read`] adds the name that the client used, alias or not.

pub mod alerts;
pub mod by_entity_type;
pub mod category;
pub mod encoding;
pub mod feed;
pub mod market;
pub mod names;
pub mod nearest;
pub mod paging;
pub mod param;
pub mod procurement;
pub mod read;
pub mod resolve;
pub mod search;
pub mod value;
