//! The second copy of each document that a cluster keeps, and how it is left out.
//!
//! The documents of the records are not stored as they were sent (`_source`), only the records are.
//! The cluster then stores what was sent all the same, as `_recovery_source`, for a copy of a shard
//! that must catch up with later changes. A merge drops it, but only one that runs half a minute
//! after the last change. It takes more space than everything else together.
//!
//! Nothing reads it here: a build makes the copies of the shards after a flush, from the files, and
//! a generation never changes afterwards. OpenSearch (from 2.15) can leave it out. Elasticsearch
//! cannot, and has it until a later merge.
//!
//! **Invariant:** while documents are loaded, the shards stay where they are
//! (`routing.allocation.enable`), because a shard that moves would need it. A node that is drained, or
//! whose disk is almost full, hands them over when they are loaded. A node that was lost and comes
//! back opens its own shards whatever this setting says.

use serde_json::Value;

use super::{client::Client, cluster_error::ClusterError};
use crate::engine::deadline::Deadline;

/// A member of `_source` in a mapping.
const SETTING: &str = "recovery_source_enabled";

/// Whether the cluster knows the setting.
pub(crate) fn can_be_left_out(client: &Client) -> Result<bool, ClusterError> {
    let cluster: Value = client.get("/", &Deadline::never())?;
    // Elasticsearch states no distribution.
    Ok(cluster.pointer("/version/distribution") == Some(&"opensearch".into()))
}

/// Changes the body that creates an index. An index that stores its documents as they were sent has
/// no second copy.
pub(crate) fn leave_out(definition: &mut Value) {
    if let Some(source) = definition.pointer_mut("/mappings/_source") {
        source[SETTING] = false.into();
    }
}

/// Removes the setting from a mapping: answers do not depend on it.
pub(crate) fn forget(mapping: &mut Value) {
    if let Some(source) = mapping.get_mut("_source").and_then(Value::as_object_mut) {
        source.remove(SETTING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::opensearch::{
            client_tests::{Node, Reply},
            mapping,
            settings::ClusterSettings,
        },
        model::EntityType,
    };

    #[test]
    fn only_open_search_is_told_to_leave_it_out() {
        for (answer, expected) in [
            (r#"{"version":{"distribution":"opensearch","number":"3.8.0"}}"#, true),
            (r#"{"version":{"number":"8.17.0","build_flavor":"default"}}"#, false),
        ] {
            let node = Node::start(Reply::Answer(200, answer));
            let client = Client::new(&ClusterSettings::new(vec![node.url.clone()])).unwrap();
            assert_eq!(can_be_left_out(&client), Ok(expected), "{answer}");
        }
    }

    #[test]
    fn the_setting_is_no_other_mapping() {
        for entity_type in EntityType::ALL {
            let mut definition = mapping::definition(entity_type, 1);
            leave_out(&mut definition);
            let told = &mut definition["mappings"];
            assert_ne!(*told, mapping::of(entity_type));
            forget(told);
            assert_eq!(*told, mapping::of(entity_type));
        }
    }
}
