//! With paths alone: each folder on the way is looked at first. What is swapped between
//! the look and the opening is not noticed; making links takes rights there that programs
//! seldom have.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::PathBuf,
};

use super::{Beneath, How, split};

impl Beneath {
    /// Opens a file.
    pub(crate) fn open(&self, path: &str, how: How) -> io::Result<File> {
        let place = self.checked(path)?;
        let mut options = OpenOptions::new();
        match how {
            How::Read => options.read(true),
            How::Change => options.read(true).write(true),
            How::Create => options.read(true).write(true).create(true).truncate(false),
            How::Anew => options.write(true).create(true).truncate(true),
        };
        options.open(place)
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, path: &str) -> io::Result<File> {
        File::open(self.checked(path)?)
    }

    /// Names of what a folder holds, in no order; without those that are no Unicode.
    pub(crate) fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.checked(path)?)? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Makes one folder.
    pub(crate) fn create_dir(&self, path: &str) -> io::Result<()> {
        fs::create_dir(self.checked(path)?)
    }

    /// Gives a file or folder another name, in one step, in place of a file that has it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_folder, to_folder) = (split(from).0, split(to).0);
        self.checked(from_folder)?;
        self.checked(to_folder)?;
        fs::rename(self.at(from), self.at(to))
    }

    /// Removes a file, or a link.
    pub(crate) fn remove_file(&self, path: &str) -> io::Result<()> {
        self.checked(split(path).0)?;
        fs::remove_file(self.at(path))
    }

    /// Removes an empty folder.
    pub(crate) fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.checked(split(path).0)?;
        fs::remove_dir(self.at(path))
    }

    /// The place of a path that leads through no link below the root.
    fn checked(&self, path: &str) -> io::Result<PathBuf> {
        let mut place = self.root().to_owned();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            place.push(name);
            if fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink()) {
                return Err(io::Error::other("a link where none may be"));
            }
        }
        Ok(place)
    }
}
