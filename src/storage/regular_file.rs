//! Decision D-184: opens files without waiting for another process.
//!
//! A plain `open` of a named pipe (FIFO) waits until another process opens its other end, which may
//! be never. A device may never end. So a file is opened with `O_NONBLOCK`, which does nothing for
//! regular files, and its type is read from the open file: no other file can take its place in
//! between.

use std::{
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Opens a file for reading. Anything but a regular file is an error that names its type.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let opened = without_waiting(File::options().read(true), path);
    let file_type = match &opened {
        Ok(file) => file.metadata()?.file_type(),
        // A socket cannot be opened at all; the system's reason does not name it.
        Err(_) => match fs::metadata(path) {
            Ok(metadata) => metadata.file_type(),
            Err(_) => return opened,
        },
    };
    match irregular_type(file_type) {
        Some(name) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {name}, not a regular file"),
        )),
        None => opened,
    }
}

/// Opens a regular file that is in a folder itself: a name without folders, and no symbolic link.
pub(crate) fn open_in(folder: &Path, name: &str) -> io::Result<File> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.starts_with('.') || !name.bytes().all(is_plain) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let mut options = File::options();
    let file = options
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(folder.join(name))?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(file)
}

/// Reads a whole regular file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole regular file of UTF-8 text.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Writes a whole file, which may also be a terminal or a pipe: `--report /dev/stdout` is useful. A
/// named pipe that no process reads is an error.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let opened = without_waiting(File::options().write(true).create(true).truncate(true), path);
    let mut file = match opened {
        Err(error) if fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) => {
            return Err(io::Error::new(
                error.kind(),
                "it is a named pipe that no process reads; start its reader first",
            ));
        }
        opened => opened?,
    };
    // From here on, a pipe that is full is waited for.
    let flags = fcntl_getfl(&file)?;
    fcntl_setfl(&file, flags.difference(OFlags::NONBLOCK))?;
    file.write_all(bytes)
}

/// What a file is, in words with an article, if it is not a regular file.
pub(crate) fn irregular_type(file_type: FileType) -> Option<&'static str> {
    if file_type.is_file() {
        None
    } else if file_type.is_dir() {
        Some("a folder")
    } else if file_type.is_fifo() {
        Some("a named pipe")
    } else if file_type.is_socket() {
        Some("a socket")
    } else {
        Some("a device")
    }
}

fn without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // The flag has the same type in the C interface, which the standard library passes on.
    options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType as NodeType, Mode, mknodat};

    use super::*;

    fn named_pipe(path: &Path) {
        mknodat(CWD, path, NodeType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    #[test]
    fn only_regular_files_are_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        named_pipe(&at("pipe"));
        let _listener = UnixListener::bind(at("socket")).unwrap();
        fs::write(at("file"), "é").unwrap();
        std::os::unix::fs::symlink(at("pipe"), at("link")).unwrap();
        for (path, why) in [
            (at("pipe"), "it is a named pipe, not a regular file"),
            (at("link"), "it is a named pipe, not a regular file"),
            (at("socket"), "it is a socket, not a regular file"),
            (at(""), "it is a folder, not a regular file"),
            ("/dev/zero".into(), "it is a device, not a regular file"),
        ] {
            assert_eq!(open(&path).unwrap_err().to_string(), why, "{}", path.display());
        }
        assert_eq!(read_to_string(&at("file")).unwrap(), "é");
        assert_eq!(read(&at("file")).unwrap(), "é".as_bytes());
        assert_eq!(open(&at("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_pipe_is_written_if_it_is_read_and_an_error_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        named_pipe(&pipe);
        let error = write(&pipe, b"x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "it is a named pipe that no process reads; start its reader first"
        );
        let mut reader = without_waiting(File::options().read(true), &pipe).unwrap();
        write(&pipe, b"report").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "report");

        let file = folder.path().join("file");
        write(&file, b"longer").unwrap();
        write(&file, b"short").unwrap();
        assert_eq!(fs::read(file).unwrap(), b"short");
    }
}
