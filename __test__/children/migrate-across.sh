# Migrates a root whose projects/ is a file system of its own, in a mount namespace that
# ends with this process.
set -e
mkdir -p "$2/projects"
mount -t tmpfs tmpfs "$2/projects"
"$1" "$3" "$2"
mkdir -p "$4"
cp -a "$2/projects/." "$4"
