//! Files and folders by number, and the changes that are made to them.

use std::{
    collections::{BTreeMap, HashMap},
    io,
};

/// The root's number.
const ROOT: u64 = 0;

/// A tree of files and folders.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: HashMap<u64, Node>,
    next: u64,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    File(Vec<u8>),
    Folder(BTreeMap<String, u64>),
}

/// One thing that a sync of one file or folder makes durable.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Data { inode: u64, offset: u64, bytes: Vec<u8> },
    Len { inode: u64, len: u64 },
    Link { folder: u64, name: String, inode: u64, is_folder: bool },
    Unlink { folder: u64, name: String },
}

impl Change {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Data { .. } => "data",
            Self::Len { .. } => "len",
            Self::Link { .. } => "link",
            Self::Unlink { .. } => "unlink",
        }
    }

    pub(super) fn of_file(&self) -> Option<u64> {
        match self {
            Self::Data { inode, .. } | Self::Len { inode, .. } => Some(*inode),
            _ => None,
        }
    }

    pub(super) fn of_folder(&self) -> Option<u64> {
        match self {
            Self::Link { folder, .. } | Self::Unlink { folder, .. } => Some(*folder),
            _ => None,
        }
    }

    /// The change with no more than its first `keep` bytes.
    pub(super) fn torn(&self, keep: usize) -> Self {
        match self {
            Self::Data { inode, offset, bytes } => Self::Data {
                inode: *inode,
                offset: *offset,
                bytes: bytes[..keep.min(bytes.len())].to_vec(),
            },
            whole => whole.clone(),
        }
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: HashMap::from([(ROOT, Node::Folder(BTreeMap::new()))]), next: 1 }
    }
}

impl Tree {
    pub(super) fn new_inode(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Data { inode, offset, bytes } => {
                let Some(Node::File(file)) = self.nodes.get_mut(inode) else { return };
                let start = usize::try_from(*offset).unwrap();
                if file.len() < start + bytes.len() {
                    file.resize(start + bytes.len(), 0);
                }
                file[start..start + bytes.len()].copy_from_slice(bytes);
            }
            Change::Len { inode, len } => {
                if let Some(Node::File(file)) = self.nodes.get_mut(inode) {
                    file.resize(usize::try_from(*len).unwrap(), 0);
                }
            }
            Change::Link { folder, name, inode, is_folder } => {
                self.next = self.next.max(*inode).max(*folder);
                self.nodes.entry(*inode).or_insert_with(|| match is_folder {
                    true => Node::Folder(BTreeMap::new()),
                    false => Node::File(Vec::new()),
                });
                // A folder whose own entry was lost can still be changed, out of sight.
                let parent =
                    self.nodes.entry(*folder).or_insert_with(|| Node::Folder(BTreeMap::new()));
                if let Node::Folder(entries) = parent {
                    entries.insert(name.clone(), *inode);
                }
            }
            Change::Unlink { folder, name } => {
                if let Some(Node::Folder(entries)) = self.nodes.get_mut(folder) {
                    entries.remove(name);
                }
            }
        }
    }

    pub(super) fn find(&self, path: &str) -> io::Result<(u64, &Node)> {
        let mut at = ROOT;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            at = match self.nodes.get(&at) {
                Some(Node::Folder(entries)) => *entries.get(name).ok_or(io::ErrorKind::NotFound)?,
                _ => return Err(io::ErrorKind::NotADirectory.into()),
            };
        }
        self.nodes.get(&at).map(|node| (at, node)).ok_or(io::ErrorKind::NotFound.into())
    }

    pub(super) fn bytes(&self, inode: u64) -> &[u8] {
        match self.nodes.get(&inode) {
            Some(Node::File(bytes)) => bytes,
            _ => &[],
        }
    }

    pub(super) fn len(&self, inode: u64) -> u64 {
        self.bytes(inode).len() as u64
    }

    pub(super) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        self.collect(ROOT, "", &mut files);
        files
    }

    fn collect(&self, inode: u64, path: &str, files: &mut Vec<(String, Vec<u8>)>) {
        match self.nodes.get(&inode) {
            Some(Node::File(bytes)) => files.push((path.to_owned(), bytes.clone())),
            Some(Node::Folder(entries)) => {
                for (name, inode) in entries {
                    let below =
                        if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    self.collect(*inode, &below, files);
                }
            }
            None => {}
        }
    }
}
