//! What a node needs to run: a JDK, and the jars that Maven fetches into `target/`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The oldest Java version that the nodes run on.
const OLDEST_JAVA: u32 = 21;

/// `copy-dependencies` resolves the versions that the poms state, so equal poms give equal jars.
const COPY_JARS: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/// How to start a node.
#[derive(Clone, Debug)]
pub struct Runner {
    pub java: PathBuf,
    pub class_path: String,
}

impl Runner {
    /// Finds a JDK, fetches the jars and compiles the class, unless an earlier run has. An error
    /// states what is missing.
    pub fn prepare() -> Result<Runner, String> {
        let jdk = find_jdk().ok_or_else(|| {
            format!("no JDK {OLDEST_JAVA} or later: set JAVA_HOME, or install one under /usr/lib/jvm")
        })?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/runner");
        let (pom, class) = (source.join("pom.xml"), source.join("ClusterNode.java"));
        let folder = folder().join("runner");
        let (jars, classes) = (folder.join("jars"), folder.join("classes"));
        // What the jars and the class were made from. Written last: it marks them as complete.
        let made_from = folder.join("made-from");
        let sources = read(&pom)? + &read(&class)?;
        if fs::read_to_string(&made_from).unwrap_or_default() != sources {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).map_err(|e| format!("creating {}: {e}", folder.display()))?;
            let mut maven = Command::new("mvn");
            maven
                .args(["--quiet", "--batch-mode", "--file"])
                .arg(&pom)
                .arg(COPY_JARS);
            maven.arg(format!("-DoutputDirectory={}", jars.display()));
            run(maven.env("JAVA_HOME", &jdk))?;
            let mut compiler = Command::new(jdk.join("bin/javac"));
            compiler
                .arg("-cp")
                .arg(jars.join("*"))
                .arg("-d")
                .arg(&classes)
                .arg(&class);
            run(&mut compiler)?;
            fs::write(&made_from, sources).map_err(|e| format!("writing {}: {e}", made_from.display()))?;
        }
        Ok(Runner {
            java: jdk.join("bin/java"),
            class_path: format!("{}:{}/*", classes.display(), jars.display()),
        })
    }
}

/// The folder of everything that the cluster tests write.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster")
}

fn find_jdk() -> Option<PathBuf> {
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    installed.sort();
    named.into_iter().chain(installed).find(|jdk| {
        let is_recent = java_version(jdk).is_some_and(|version| version >= OLDEST_JAVA);
        is_recent && jdk.join("bin/javac").exists()
    })
}

/// The major version that a JDK's `release` file states: `JAVA_VERSION="21.0.4"`.
fn java_version(jdk: &Path) -> Option<u32> {
    let release = fs::read_to_string(jdk.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '"', '-']).next()?.parse().ok()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("reading {}: {e}", path.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("{name} cannot be started: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let first = text
        .lines()
        .find(|line| line.contains("ERROR") || line.contains("error:"));
    Err(format!("{name} failed: {}", first.unwrap_or("it printed no error")))
}
