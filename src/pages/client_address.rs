//! The address by which visitors without a key are told apart, and tables of a bounded size that are keyed by it.

use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, Ipv6Addr, SocketAddr},
};

use actix_web::{HttpRequest, http::header::HeaderName};

/// An IPv4 address, or the first 64 bits of an IPv6 address: a household or a company has all addresses of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClientAddress(IpAddr);

/// Values of the clients that came last. The least recently used one makes room for a new one.
#[derive(Debug)]
pub(crate) struct AddressTable<T> {
    entries: HashMap<ClientAddress, (u64, T)>,
    /// The addresses by the number of their last use.
    uses: BTreeMap<u64, ClientAddress>,
    next_use: u64,
    places: usize,
}

/// The maximum number of clients in a table: with accounts about 10 MB.
const MAX_CLIENTS: usize = 20_000;

impl ClientAddress {
    /// The address in the named header, if the operator named one and it holds an address; otherwise that of the
    /// connection.
    ///
    /// Of a list, the last address counts: the nearest proxy appended it, and a client can write all others.
    pub(crate) fn of(request: &HttpRequest, header: Option<&HeaderName>) -> ClientAddress {
        let line = header.and_then(|name| request.headers().get_all(name).last());
        let stated = line.and_then(|line| line.to_str().ok()).and_then(|line| {
            let last = line.rsplit(',').next()?;
            parse(last.trim())
        });
        let peer = || request.peer_addr().map(|peer| peer.ip());
        let address = stated.or_else(peer).unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        ClientAddress::from(address)
    }
}

impl ClientAddress {
    /// The first 48 bits of an IPv6 address.
    pub(crate) fn network(self) -> Option<ClientAddress> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => {
                let network = u128::from(address) & (u128::MAX << 80);
                Some(ClientAddress(IpAddr::V6(Ipv6Addr::from(network))))
            }
        }
    }
}

/// An address as proxies write it: alone, with a port, or in brackets.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    bare.parse().ok().or_else(with_port)
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> ClientAddress {
        ClientAddress(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & (u128::MAX << 64);
                IpAddr::V6(Ipv6Addr::from(network))
            }
            IpAddr::V4(address) => IpAddr::V4(address),
        })
    }
}

impl<T> AddressTable<T> {
    pub(crate) fn new() -> AddressTable<T> {
        AddressTable::with_places(MAX_CLIENTS)
    }

    fn with_places(places: usize) -> AddressTable<T> {
        AddressTable {
            entries: HashMap::new(),
            uses: BTreeMap::new(),
            next_use: 0,
            places,
        }
    }

    /// The value of a client, a new one if it has none. The client has then been used last.
    pub(crate) fn get_or_insert(&mut self, address: ClientAddress, new: impl FnOnce() -> T) -> &mut T {
        let number = self.next_use;
        self.next_use += 1;
        self.uses.insert(number, address);
        if let Some((used, _)) = self.entries.get(&address) {
            self.uses.remove(used);
        } else if self.entries.len() >= self.places
            && let Some((_, oldest)) = self.uses.pop_first()
        {
            self.entries.remove(&oldest);
        }
        let entry = self.entries.entry(address).or_insert_with(|| (number, new()));
        entry.0 = number;
        &mut entry.1
    }

    /// The value of a client, which this does not count as a use.
    pub(crate) fn get(&self, address: &ClientAddress) -> Option<&T> {
        self.entries.get(address).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn ipv6_addresses_of_a_network_are_one_client() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:ffff:ffff:ffff"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_ne!(address("192.0.2.1"), address("192.0.2.2"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }

    #[test]
    fn only_the_named_header_counts_and_its_last_address() {
        let name = HeaderName::from_static("x-client");
        let peer: SocketAddr = "198.51.100.1:99".parse().unwrap();
        for (value, expected) in [
            ("192.0.2.1", "192.0.2.1"),
            ("192.0.2.9, 192.0.2.1", "192.0.2.1"),
            ("192.0.2.1:8080", "192.0.2.1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("unknown", "198.51.100.1"),
            ("", "198.51.100.1"),
        ] {
            let request = TestRequest::default()
                .peer_addr(peer)
                .insert_header(("x-client", value))
                .to_http_request();
            assert_eq!(ClientAddress::of(&request, Some(&name)), address(expected), "{value}");
            assert_eq!(ClientAddress::of(&request, None), address("198.51.100.1"), "{value}");
        }
    }

    #[test]
    fn the_least_recently_used_client_makes_room() {
        let mut table = AddressTable::with_places(2);
        let (a, b, c) = (address("192.0.2.1"), address("192.0.2.2"), address("192.0.2.3"));
        *table.get_or_insert(a, || 0) += 1;
        *table.get_or_insert(b, || 0) += 1;
        *table.get_or_insert(a, || 0) += 1;
        *table.get_or_insert(c, || 0) += 1;
        assert_eq!(
            (table.get(&a), table.get(&b), table.get(&c)),
            (Some(&2), None, Some(&1))
        );
        for number in 0..100_u32 {
            table.get_or_insert(ClientAddress::from(IpAddr::from(number.to_be_bytes())), || 0);
            assert!(table.entries.len() <= 2 && table.uses.len() == table.entries.len());
        }
    }
}
