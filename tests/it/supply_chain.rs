//! What the program states about the packages in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;

fn printed(what: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_procure"))
        .args(["print", what])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The packages of Cargo.lock that are compiled into the program, as `name version`. It needs no
/// network: building the tests has fetched them.
fn packages_of_the_lock_file() -> BTreeSet<String> {
    let tree = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--locked", "--offline", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    let packages = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        (name != "procure").then(|| format!("{name} {version}"))
    });
    packages.collect()
}

#[test]
fn the_sbom_and_the_licences_have_every_package() {
    let sbom: Value = serde_json::from_str(&printed("sbom")).unwrap();
    assert_eq!(
        (&sbom["bomFormat"], &sbom["specVersion"]),
        (&"CycloneDX".into(), &"1.5".into())
    );
    assert_eq!(sbom["metadata"]["component"]["version"], env!("CARGO_PKG_VERSION"));
    let components = sbom["components"].as_array().unwrap();
    let listed: BTreeMap<String, &Value> = components
        .iter()
        .map(|component| {
            let text = |name: &str| component[name].as_str().unwrap_or_default();
            (format!("{} {}", text("name"), text("version")), component)
        })
        .collect();
    let licences = printed("licences");
    for package in packages_of_the_lock_file() {
        let component = listed.get(&package);
        let component = component.unwrap_or_else(|| panic!("{package} is missing: run .ci/licences and commit"));
        assert_eq!(
            component["hashes"][0]["content"].as_str().map(str::len),
            Some(64),
            "{package}"
        );
        assert!(component["licenses"][0]["expression"].is_string(), "{package}");
        assert!(licences.lines().any(|line| line.starts_with(&package)), "{package}");
    }
    for text in [
        "Permission is hereby granted, free of charge",
        "Apache License",
        "Copyright (c) The Rust Project Contributors",
        "Swagger UI, the page /docs (swagger-ui-bundle.js.LICENSE.txt)",
        "Community Data License Agreement",
        "UNICODE LICENSE V3",
    ] {
        assert!(licences.contains(text), "{text}");
    }
    assert!(!licences.contains("/.cargo/"), "no path of a machine");
}
