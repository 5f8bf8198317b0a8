import { Effect } from "effect"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { systemUser } from "../connection/DatabaseUrl.ts"
import type { DataFolder } from "./DataFolder.ts"
import type { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"
import { readPlainFile } from "./PlainFile.ts"
import { userName } from "./ServerUser.ts"

const title = "# Written by Lists and Things. Rules of your own stay when you remove this line."

const rules = `${title}
local all all peer map=lat
local replication all peer map=lat`

/**
 * The server's user and root, as the operating system identifies the peer of the socket: by name, or by number where it
 * knows no name.
 */
const usersOf = async ({ user }: DataFolder): Promise<string> => {
  const names = [user?.name ?? systemUser() ?? String(process.geteuid?.()), await userName(0)]
  return [title, ...names.map((name) => `lat "${name}" lat`)].join("\n")
}

/** Whether nothing is to be written; only reads, so a command that finds a restricted cluster starts no shell. */
const isRestricted = async (path: string, users: string): Promise<boolean> =>
  ((await lstat(path)).mode & 0o077) === 0 &&
  (await readPlainFile(join(path, "pg_hba.conf"))) === `${rules}\n` &&
  (await readPlainFile(join(path, "pg_ident.conf"))) === `${users}\n`

/**
 * Restricts connections to the server's user and root. Clusters of earlier versions trusted every local user; their
 * rules are rewritten. An operator's own rules are kept.
 */
const script = `
cluster=$1
title=$2
[ -f "$cluster/PG_VERSION" ] || exit 0
chmod go-rwx "$cluster"
there=$(cat "$cluster/pg_hba.conf" 2>/dev/null || true)
case $there in
  "$title"*) ;;
  *) printf '%s\n' "$there" | grep -Eq '^[[:space:]]*(local|host).*[[:space:]]trust[[:space:]]*$' || exit 0 ;;
esac
replace() {
  printf '%s\n' "$2" > "$cluster/$1.$$"
  mv -f "$cluster/$1.$$" "$cluster/$1"
}
replace pg_ident.conf "$4"
replace pg_hba.conf "$3"
echo changed
`

/**
 * Returns true when the rules were changed; a running server must then reload them. `cluster` is its folder in `home`.
 */
export const restrictAccess = Effect.fnUntraced(function* (
  folder: DataFolder,
  cluster: string
): Effect.fn.Return<boolean, EmbeddedError> {
  const users = yield* Effect.promise(() => usersOf(folder))
  const path = join(folder.home, cluster)
  if (yield* Effect.promise(() => isRestricted(path, users).catch(() => false))) return false
  const problem = "The rules of who may connect cannot be written"
  return (yield* inHome(folder, problem, script, [cluster, title, rules, users])) === "changed"
})
