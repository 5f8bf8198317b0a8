/**
 * Mirrors an account into a SQLite file, and keeps the file up to date.
 *
 *     LAT_URL=http://localhost:3000 LAT_API_KEY=lat_… node examples/mirror.ts account.sqlite
 *
 * Needs Node 24 or later, nothing else, and a key with the scopes read:lists and read:things. Stop it whenever you like,
 * even with kill -9: the cursor is stored in the transaction of the changes that it covers, so the next start goes on
 * exactly where the file ends. Other programs can read the file meanwhile:
 *
 *     sqlite3 account.sqlite "select title, text from things join lists on lists.id = list_id order by list_id, place"
 *
 * `entities` has everything as JSON, by type and id; the views are what most people want of it. References between them
 * hold whenever `is_complete` in `feed` is 1: between two pages of a long answer a thing may be there before its list.
 */
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"

interface Change {
  readonly type: "account" | "place" | "list" | "thing" | "reminder"
  readonly id: string
  readonly change: "put" | "delete"
  /** The whole entity; null when it was deleted. */
  readonly data: object | null
}

interface Page {
  readonly changes: ReadonlyArray<Change>
  readonly cursor: string
  readonly has_more: boolean
}

const [file] = process.argv.slice(2)
const { LAT_API_KEY: key, LAT_URL: site = "http://localhost:3000" } = process.env
if (file === undefined || key === undefined) fail("Usage: LAT_URL=… LAT_API_KEY=… node mirror.ts FILE")

/** Changes per request, at most 500, and seconds that a request waits when there are none, at most 55. */
const [limit, wait] = [500, 50]

const database = new DatabaseSync(file, { timeout: 10_000 })
database.exec(`
  pragma journal_mode = wal;
  create table if not exists entities (type text, id text, data text not null, primary key (type, id)) without rowid;
  create table if not exists feed (one integer primary key check (one = 1), cursor text not null, is_complete integer);
  create view if not exists lists as
    select id, data ->> 'title' as title, data ->> 'day' as day, data ->> 'archived' as archived
    from entities where type = 'list';
  create view if not exists things as
    select id, data ->> 'list_id' as list_id, data ->> 'text' as text, data ->> 'completed' as completed,
      row_number() over (
        partition by data ->> 'list_id' order by data ->> '$.position[0]', data ->> '$.position[1]', id
      ) as place
    from entities where type = 'thing';
  create view if not exists reminders as
    select id, data ->> 'thing_id' as thing_id, data ->> 'at' as at from entities where type = 'reminder'`)
const readCursor = database.prepare("select cursor from feed")
const putCursor = database.prepare("insert or replace into feed values (1, ?, ?)")
const putEntity = database.prepare("insert or replace into entities values (?, ?, ?)")
const deleteEntity = database.prepare("delete from entities where type = ? and id = ?")

for (;;) {
  const { retryAfter, status, text } = await ask(readCursor.get()?.["cursor"] as string | undefined)
  if (status === 200) store(JSON.parse(text) as Page)
  else if (status === 410) beginAnew()
  else if (status === 429 || status >= 500) await sleep(retryAfter * 1000)
  else fail(`${status}: ${text}`)
}

/** What follows the cursor, or everything when there is none yet. A server that cannot be reached counts as a 503. */
async function ask(cursor: string | undefined): Promise<{ status: number; text: string; retryAfter: number }> {
  const query = new URLSearchParams({ limit: `${limit}`, wait: `${wait}`, ...(cursor !== undefined && { cursor }) })
  const headers = { authorization: `Bearer ${key}` }
  // A connection that has died without a word would keep us waiting for ever.
  const signal = AbortSignal.timeout((wait + 30) * 1000)
  try {
    const answer = await fetch(`${site}/api/v1/changes?${query}`, { headers, signal })
    // A proxy may send 0, or a date.
    const retryAfter = Math.max(1, Number(answer.headers.get("retry-after")) || 1)
    return { status: answer.status, text: await answer.text(), retryAfter }
  } catch {
    return { status: 503, text: "", retryAfter: 1 }
  }
}

/** The changes and the cursor behind them, both or neither. */
function store({ changes, cursor, has_more }: Page): void {
  inTransaction(() => {
    for (const { change, data, id, type } of changes)
      if (change === "put") putEntity.run(type, id, JSON.stringify(data))
      else deleteEntity.run(type, id)
    putCursor.run(cursor, has_more ? 0 : 1)
  })
}

/** The server no longer has what follows our cursor: it was restored, or we have been away for too long. */
function beginAnew(): void {
  inTransaction(() => database.exec("delete from entities; delete from feed"))
}

function inTransaction(write: () => void): void {
  database.exec("begin immediate")
  write()
  database.exec("commit")
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
