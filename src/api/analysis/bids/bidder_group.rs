//! Who a bidder is: the supplier that its name belongs to.

use std::collections::HashMap;

use crate::catalog::{bids::BidStore, generation::Generation};

/// A supplier, or a bidder whose name belongs to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Group<'s> {
    /// A supplier, by its number in the list of suppliers.
    Supplier(u32),
    /// The key of its name.
    Name(&'s str),
}

/// The groups of bidders, looked up once for each name.
pub(super) struct Groups<'s> {
    generation: &'s Generation,
    known: HashMap<&'s str, Group<'s>>,
}

impl<'s> Groups<'s> {
    pub(super) fn new(generation: &'s Generation) -> Groups<'s> {
        Groups {
            generation,
            known: HashMap::new(),
        }
    }

    pub(super) fn of(&mut self, key: &'s str) -> Group<'s> {
        let suppliers = &self.generation.suppliers;
        let group = || suppliers.find_name(key).map_or(Group::Name(key), Group::Supplier);
        *self.known.entry(key).or_insert_with(group)
    }

    /// The identifier of the supplier; `None` if the name belongs to none.
    pub(super) fn supplier_id(&self, group: Group) -> Option<String> {
        match group {
            Group::Supplier(number) => self.generation.suppliers.get(number).map(|supplier| supplier.id),
            Group::Name(_) => None,
        }
    }

    /// The name that it is shown by.
    pub(super) fn name(&self, group: Group) -> String {
        let (suppliers, bids): (_, &BidStore) = (&self.generation.suppliers, &self.generation.bids);
        match group {
            Group::Supplier(number) => suppliers.get(number).map(|supplier| supplier.name).unwrap_or_default(),
            Group::Name(key) => bids.name_of(key).unwrap_or(key).to_owned(),
        }
    }
}
