import { Effect } from "effect"
import type { DataFolder } from "./DataFolder.ts"
import type { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"

/**
 * Restricts connections to the server's user and root, as the operating system identifies the peer of the socket.
 * Clusters of earlier versions trusted every local user; their rules are rewritten. An operator's own rules are kept.
 */
const script = `
cluster=$1
[ -f "$cluster/PG_VERSION" ] || exit 0
chmod go-rwx "$cluster"
title='# Written by Lists and Things. Rules of your own stay when you remove this line.'
hba="$title
local all all peer map=lat
local replication all peer map=lat"
ident=$(printf '%s\\nlat "%s" lat\\nlat "%s" lat' "$title" "$(id -un)" "$(id -un 0 2>/dev/null || echo root)")
there=$(cat "$cluster/pg_hba.conf" 2>/dev/null || true)
if [ "$there" = "$hba" ] && [ "$(cat "$cluster/pg_ident.conf" 2>/dev/null)" = "$ident" ]; then exit 0; fi
case $there in
  "$title"*) ;;
  *) printf '%s\n' "$there" | grep -Eq '^[[:space:]]*(local|host).*[[:space:]]trust[[:space:]]*$' || exit 0 ;;
esac
replace() {
  printf '%s\n' "$2" > "$cluster/$1.$$"
  mv -f "$cluster/$1.$$" "$cluster/$1"
}
replace pg_ident.conf "$ident"
replace pg_hba.conf "$hba"
echo changed
`

/**
 * Returns true when the rules were changed; a running server must then reload them. `cluster` is its folder in `home`.
 */
export const restrictAccess = (folder: DataFolder, cluster: string): Effect.Effect<boolean, EmbeddedError> =>
  Effect.map(
    inHome(folder, "The rules of who may connect cannot be written", script, [cluster]),
    (said) => said === "changed"
  )
