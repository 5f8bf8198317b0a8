#!/usr/bin/env bash
# Sets up a team of three on the command line, from nothing to a restored backup:
# accounts and keys, documents, exports, a restore into another installation, and a comparison of the two.
# Everything is kept in a folder of its own, which is removed at the end: run it to see, or copy from it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/lat-team-XXXXXX")
lat() { node "$root/bin/lat.mjs" "$@"; }
step() { printf '\n== %s\n' "$*"; }

unset DATABASE_URL LAT_STORAGE LAT_API_KEY
office=$work/office elsewhere=$work/elsewhere
cleanup() {
  LAT_DATA_DIR=$office lat db stop --yes --quiet || true
  LAT_DATA_DIR=$elsewhere lat db stop --yes --quiet || true
  rm -rf "$work"
}
trap cleanup EXIT

step 'Three accounts, each in its own time zone'
export LAT_DATA_DIR=$office
while read -r name zone; do
  lat account create --email "$name@example.com" --name "$name" --timezone "$zone" --quiet >/dev/null
done <<'TEAM'
ann Europe/Berlin
bob America/New_York
cho Asia/Seoul
TEAM
lat account set bob@example.com --default-list-sort modified --repeat-moves-to-day false --quiet >/dev/null
printf 'correct horse battery' | lat account set ann@example.com --password-stdin --quiet >/dev/null
lat account list

step 'A key for each: all scopes for Ann, reading only for the others'
lat key create --account ann@example.com --name laptop --quiet >"$work/ann.key"
for name in bob cho; do
  lat key create --account "$name@example.com" --name dashboard \
    --scopes read:lists,read:things,search --rate-limit 500 --quiet >"$work/$name.key"
done
chmod 600 "$work"/*.key
lat key list

step 'Documents become lists'
mkdir "$work/docs"
cat >"$work/docs/plan.md" <<'DOC'
# Release plan

- [ ] Write the notes
  - [x] Collect changes
- [-] Rename the product

## Later

1. Talk to users
2. Decide

> Ship small, ship often.
DOC
cat >"$work/docs/groceries.md" <<'DOC'
# Groceries
- [ ] Milk
- [ ] Bread **dark**
- [x] Apples
DOC
for name in ann bob cho; do
  lat import "$work/docs/*.md" --account "$name@example.com" --quiet >/dev/null
done
lat thing add 'Call the dentist' --account ann@example.com --list tomorrow --tag health --quiet >/dev/null
lat list show 'Release plan' --account ann@example.com

step 'Export, while nothing but this script uses the data'
for name in ann bob cho; do
  lat export --account "$name@example.com" --format json --out "$work/backup"
done
if grep -l -F -f <(cut -d_ -f3 "$work"/*.key) "$work"/backup/*.json; then
  echo 'A key is in an export.' >&2
  exit 1
fi

step 'Restore in another installation'
export LAT_DATA_DIR=$elsewhere
for name in ann bob cho; do
  lat account create --email "$name@example.com" --quiet >/dev/null
  lat restore "$work/backup/$name@example.com.json" --account "$name@example.com"
  lat export --account "$name@example.com" --format json --out "$work/again" --quiet >/dev/null
done

step 'Compare: all but the moment of the export and the id of the account'
content() { sed -e '/^"exported":/d' -e '/^"account":/s/"id":"[^"]*"//' "$1"; }
for name in ann bob cho; do
  diff <(content "$work/backup/$name@example.com.json") <(content "$work/again/$name@example.com.json")
done
lat stats
echo
echo 'The team is the same in both installations.'
