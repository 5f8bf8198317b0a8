type Json = Record<string, unknown>

/** Descriptions by field name; a name has one meaning in every schema. */
const notes: Readonly<Record<string, string>> = {
  id: "Opaque.",
  title: "One line.",
  emoji: "Shown before the title; may be empty.",
  today: "Whether this is the day list of today, in the account's time zone.",
  favorited: "Starred.",
  archived: "Archived lists are left out of `GET /lists`.",
  created: "ISO 8601. On a write it backdates; left out it is now.",
  updated: "ISO 8601.",
  list_id: "The owning list. On a write the target, instead of `list`.",
  list: "A list by name, instead of `list_id`: `today`, `yesterday`, `tomorrow`, an ISO date, or a title.",
  list_ref: "Another list that this thing links to; null or empty for none.",
  text: "Markdown dialect: `**bold**`, `*italic*`, `~~strike~~`, code in backticks, `[label](url)`. Never parsed where `code` is true.",
  url: "A link; empty for none. A bare domain gets `https://`.",
  tags: "Tag names, with or without a leading `#`; compared ignoring case. Replaces the tags there are.",
  tabs: "Indent level; 0 is top level, 1 or more nests under the preceding thing with less.",
  photos: "Image addresses (http or https), at most 10. Replaces those there are.",
  completed: "Done. Excludes `canceled`.",
  canceled: "Given up. Excludes `completed`.",
  clone_of: "The original, where this is a live linked copy: an edit of either shows in both.",
  has_clones: "Whether live linked copies of this thing exist.",
  bold: "The whole thing.",
  italic: "The whole thing.",
  underline: "The whole thing.",
  header: "A heading; also bold, unless `bold` says otherwise. Excludes `subheader`.",
  subheader: "A smaller heading; also bold, unless `bold` says otherwise. Excludes `header`.",
  quote: "A block quote. Excludes `code`.",
  code: "A block of code. Excludes `quote`.",
  note: "Long-form markdown, never shown inline; empty for none.",
  occurrence:
    "The reminder's `at` that the client means to complete; nothing is applied once the reminder has moved on.",
  items: "At most 500.",
  ids: "At most 500.",
  set: "The change to make.",
  skip_duplicates: "Skips what the target list has already: by url, else by text.",
  markdown: "CommonMark with task lists.",
  skipped: "How many were left out: blank ones, duplicates, or those whose own target or id is unknown.",
  by_list: "What was made, list by list.",
  at: "ISO 8601. With an offset or `Z` an exact time; else in the account's time zone. A plain date is all-day. Null for a reminder at a place.",
  all_day: "At midnight of the account's time zone, without an end.",
  repeat: "Reads may also give `custom`.",
  every: "Every so many days, weeks, months or years. Excludes `days`.",
  repeat_until: "The last moment it may come again, inclusive; null forever.",
  days: "Weekdays: names, their first three letters, or 0 to 6 (0 is Sunday). Makes the reminder weekly.",
  end: "When this occurrence ends; in the same form as `at`. Excludes `duration_minutes`.",
  duration_minutes: "How long this occurrence takes; 0 is without an end. Excludes `end` and `all_day`.",
  alert_minutes: "Minutes before `at` to notify; 0 is without notice.",
  second_alert_minutes: "Minutes before `at` to notify once more; 0 is without.",
  color: "`#rrggbb`, or empty.",
  place: "The saved place that the reminder is at; null for a time.",
  summary: "In words.",
  thing_id: "The thing that it is on.",
  page: "From zero.",
  page_size: "Entries a page.",
  has_more: "Whether there is more.",
  count: "How many things have it.",
  copy_id: "The completed copy that stayed where it was done.",
  next_at: "The next occurrence."
}

/** Descriptions in schemas of the history, where names have another meaning. */
const historyNotes: Readonly<Record<string, string>> = {
  at: "ISO 8601: when it was written, strictly later than the operation before. Null in the feed while it shows the state that it began with.",
  name: "The `operationId` that does the same, whatever it was made by.",
  surface: "Where the call came in.",
  by: "Who made the call.",
  request_id: "The `Idempotency-Key` that came with it, or the `request_id` of a tool call.",
  summary: "One line in English that names what was changed.",
  counts: "How many of each it changed.",
  lists: "A day list made along the way counts too.",
  undoes: "The operation that this one took back.",
  undone_by: "The operation that took this one back.",
  change: "What happened to the entity.",
  before: "All fields of what was deleted, the changed fields of what was updated.",
  after: "The changed fields of what was updated.",
  undo: "Whether an undo would succeed now.",
  undone: "The operation that was taken back, as it is now.",
  entities_truncated: "There are more than these 500.",
  data: "What is stored; null for a `delete`. A list has `day` in place of `today`, a thing also its `position` (order by both numbers, then by id), a reminder no fields of its thing or list.",
  cursor: "Opaque; for the next request.",
  operation_id: "The last operation on the entity in this page."
}

const historySchemas: ReadonlySet<string> = new Set(["Operation", "OperationView", "Undone", "Changes"])

const typeOfRead = "`todo` is a checkbox, `none` a plain line."
const typeOfWrite = "`note` is another name of `none`, and reads back as `none`. Left out: the account's default."

/** The order of a list's things, and how a client treats an order that it does not know. */
const sortNote = "The display order of the list's things; take one that you do not know as `chronological`."

/** The named schemas with field descriptions and the details that the generator omits. */
export const withFieldNotes = (schemas: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(schema as Json, name)]))

/** Fields of the history with the same meaning as elsewhere. */
const shared: ReadonlySet<string> = new Set(["id", "has_more"])

const described = (schema: Json, name: string): Json => {
  const properties = schema["properties"] as Record<string, Json> | undefined
  const items = schema["items"] as Json | undefined
  return {
    ...schema,
    ...(items === undefined ? {} : { items: described(items, name) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, of]) => [field, property(field, of, name)])
          )
        })
  }
}

const property = (field: string, schema: Json, name: string): Json => {
  if (Object.keys(schema).length === 0) return { readOnly: true, description: "Reads have it; a write ignores it." }
  const note = noteOf(field, name)
  const inner = described(schema, name)
  if (note === undefined || schema["$ref"] !== undefined) return inner
  return { ...inner, description: note }
}

const noteOf = (field: string, name: string): string | undefined => {
  if (field === "type") return name.endsWith("Input") ? typeOfWrite : name === "Thing" ? typeOfRead : undefined
  if (field === "sort") return sortNote
  if (!historySchemas.has(name)) return notes[field]
  return Object.hasOwn(historyNotes, field) ? historyNotes[field] : shared.has(field) ? notes[field] : undefined
}
