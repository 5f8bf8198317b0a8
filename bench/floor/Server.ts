/**
 * The floor: a handwritten server with the same answers and nothing more. `node:http`, the `pg` driver with a pool of
 * 10 and prepared statements, one query, `JSON.stringify`; no authentication, no limits, no validation. The owner comes
 * in a header. Same database, same rows. `DATABASE_URL=… node bench/floor/Server.ts` prints its port.
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] ?? "", max: 10 })

const columns = `t.id, t.list_id, t.list_ref, t.text, t.type, t.url, t.tags, t.tabs, t.photos, t.completed, t.canceled,
  t.favorited, t.clone_of, t.has_clones, t.bold, t.italic, t.underline, t.header, t.subheader, t.quote, t.code, t.note,
  t.created, t.updated`

type Row = Record<string, unknown>

const iso = (value: unknown) => new Date(Number(value)).toISOString()
const thing = (row: Row) => ({ ...row, created: iso(row["created"]), updated: iso(row["updated"]) })
const list = (row: Row) => ({ ...row, today: false, created: iso(row["created"]), updated: iso(row["updated"]) })

const query = async (name: string, text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Row>> =>
  (await pool.query<Row>({ name, text, values: [...values] })).rows

const getThing = async (owner: string, id: string) => {
  const [row] = await query("thing", `select ${columns} from things t where owner_id = $1 and id = $2`, [owner, id])
  return { thing: thing(row!), reminder: null }
}

const listColumns = "l.id, l.title, l.emoji, l.favorited, l.archived, l.sort, l.created, l.updated"

const withThings = (name: string, where: string) => async (owner: string, key: string) => {
  const rows = await query(
    name,
    `select to_json(l) as list, ${columns}
     from (select ${listColumns} from lists l where l.owner_id = $1 and ${where}) l
     join things t on t.owner_id = $1 and t.list_id = l.id order by t.rank, t.seq, t.id`,
    [owner, key]
  )
  const things = rows.map(({ list: _, ...row }) => thing(row))
  return { list: list(rows[0]!["list"] as Row), things, reminders: [] }
}

const getList = withThings("list", "l.id = $2")
const getDay = withThings("day", "l.day = $2")

const page = async (owner: string, number: number) => {
  const rows = await query(
    "page",
    `select ${columns} from things t where owner_id = $1 order by created desc, id desc limit 51 offset $2`,
    [owner, number * 50]
  )
  return { things: rows.slice(0, 50).map(thing), page: number, page_size: 50, has_more: rows.length > 50 }
}

const search = async (owner: string, text: string) => {
  const rows = await query(
    "search",
    `select ${columns} from things t where owner_id = $1 and search like '%' || $2 || '%' order by updated desc limit 51`,
    [owner, text.toLowerCase()]
  )
  return { query: text, things: rows.slice(0, 50).map(thing), lists: [], has_more: rows.length > 50 }
}

const hash = (text: string) => createHash("md5").update(text).digest("hex")
const insertedColumns = `owner_id, id, list_id, rank, seq, tabs, favorited, has_clones, text, text_hash, search, type, url,
  tags, photos, completed, canceled, bold, italic, underline, header, subheader, quote, code, note, created, updated`

const create = async (owner: string, body: { list_id: string; text: string }) => {
  const [row] = await query(
    "create",
    `with t as (insert into things (${insertedColumns}) values ($1, $2, $3, $4, 0, 0, false, false, $5, $6::uuid, lower($5),
       'todo', '', '{}', '{}', false, false, false, false, false, false, false, false, false, '', $4, $4) returning *),
     touched as (update lists set updated = $4 where owner_id = $1 and id = $3)
     select ${columns} from t`,
    [owner, randomUUID(), body.list_id, Date.now(), body.text, hash(body.text)]
  )
  return { thing: thing(row!) }
}

const complete = async (owner: string, id: string, { completed }: { completed: boolean }) => {
  const [row] = await query(
    "complete",
    `with t as (update things set completed = $3, canceled = false, updated = $4 where owner_id = $1 and id = $2
       returning *),
     touched as (update lists l set updated = $4 from t where l.owner_id = $1 and l.id = t.list_id),
     stamped as (update write_clocks w set last_write = greatest(w.last_write + 1, $4) from t where w.owner_id = $1)
     select ${columns} from t`,
    [owner, id, completed, Date.now()]
  )
  return { thing: thing(row!) }
}

const bulk = async (owner: string, body: { list_id: string; items: ReadonlyArray<{ text: string }> }) => {
  const items = body.items.map((item, seq) => ({ id: randomUUID(), seq, text: item.text, hash: hash(item.text) }))
  await query(
    "bulk",
    `with t as (insert into things (${insertedColumns}) select $1, i.id, $2, $3, i.seq, 0, false, false, i.text, i.hash,
       lower(i.text), 'todo', '', '{}', '{}', false, false, false, false, false, false, false, false, false, '', $3, $3
       from jsonb_to_recordset($4::jsonb) as i(id uuid, seq int, text text, hash uuid))
     update lists set updated = $3 where owner_id = $1 and id = $2`,
    [owner, body.list_id, Date.now(), JSON.stringify(items)]
  )
  return { created: items.length, skipped: 0, by_list: [{ list_id: body.list_id, created: items.length, skipped: 0 }] }
}

const updateMany = async (owner: string, body: { ids: ReadonlyArray<string>; set: { completed: boolean } }) => {
  const rows = await query(
    "update many",
    `with t as (update things set completed = $3, canceled = false, updated = $4 where owner_id = $1
       and id = any ($2::uuid[]) returning list_id),
     touched as (update lists set updated = $4 where owner_id = $1 and id in (select list_id from t))
     select 1 from t`,
    [owner, body.ids, body.set.completed, Date.now()]
  )
  return { updated: rows.length, skipped: body.ids.length - rows.length }
}

const deleteMany = async (owner: string, body: { ids: ReadonlyArray<string> }) => {
  const rows = await query(
    "delete many",
    `with t as (delete from things where owner_id = $1 and id = any ($2::uuid[]) returning list_id),
     touched as (update lists set updated = $3 where owner_id = $1 and id in (select list_id from t))
     select 1 from t`,
    [owner, body.ids, Date.now()]
  )
  return { deleted: rows.length }
}

const importMarkdown = async (owner: string, { markdown }: { markdown: string }) => {
  const [title = "", ...lines] = markdown.split("\n").filter((line) => line !== "")
  const [row] = await query(
    "new list",
    `insert into lists as l (owner_id, id, title, title_key, search, emoji, favorited, archived, sort, created, updated)
     values ($1, $2, $3, lower($3), lower($3), '', false, false, 'chronological', $4, $4) returning ${listColumns}`,
    [owner, randomUUID(), title.replace("# ", ""), Date.now()]
  )
  const made = await bulk(owner, {
    list_id: String(row!["id"]),
    items: lines.map((line) => ({ text: line.replace("- [ ] ", "") }))
  })
  return { list: list(row!), created: made.created, skipped: 0 }
}

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

const writes: Readonly<Record<string, (owner: string, body: never) => Promise<unknown>>> = {
  "POST /things": create,
  "POST /things/bulk": bulk,
  "PATCH /things/bulk": updateMany,
  "DELETE /things/bulk": deleteMany,
  "POST /lists/import": importMarkdown
}

const answer = async (request: IncomingMessage): Promise<unknown> => {
  const owner = String(request.headers["x-owner"])
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://floor")
  const path = pathname.replace("/api/v1", "")
  const write = writes[`${request.method} ${path}`]
  if (write !== undefined) return write(owner, (await bodyOf(request)) as never)
  if (path === "/things") return page(owner, Number(searchParams.get("page")))
  if (path === "/search") return search(owner, searchParams.get("query") ?? "")
  if (path === "/today") return getDay(owner, searchParams.get("date") ?? "")
  const id = path.split("/")[2] ?? ""
  if (request.method === "PATCH") return complete(owner, id, await bodyOf(request))
  return path.startsWith("/lists/") ? getList(owner, id) : getThing(owner, id)
}

const server = createServer((request, response) => {
  answer(request).then(
    (value) => {
      const text = JSON.stringify(value)
      response.writeHead(request.method === "POST" ? 201 : 200, { "content-type": "application/json" })
      response.end(text)
    },
    (error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    }
  )
})

server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))
})
process.on("SIGTERM", () => process.exit(0))
