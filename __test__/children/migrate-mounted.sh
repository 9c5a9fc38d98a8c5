# Migrates a root a folder of which is a small file system of its own, full or not, in a
# mount namespace that ends with this process; copies that folder out before.
# Usage: migrate-mounted.sh <node> <migrate.mjs> <root> <folder> <fill, or nothing> <copy>
set -e
node=$1 migrate=$2 root=$3 folder=$3/$4 fill=$5 copy=$6
mkdir -p "$folder"
mkdir "$root.before"
cp -a "$folder/." "$root.before"
mount -t tmpfs -o size=2m tmpfs "$folder"
cp -a "$root.before/." "$folder"
if [ -n "$fill" ]; then
  dd if=/dev/zero of="$folder/fill" bs=4k 2>/dev/null || true
  # Room for what is small.
  truncate -s -40k "$folder/fill"
fi
"$node" "$migrate" "$root"
rm -f "$folder/fill"
mkdir -p "$copy"
cp -a "$folder/." "$copy"
