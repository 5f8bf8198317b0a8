/** What the documents show: one list, one thing and one reminder, as they go over the wire. */

const listId = "0199f0c2-7a51-7c3e-9d1b-2f6a8c4e5b70"
const thingId = "0199f0c3-11d4-7a90-8b52-6f0e3d9a7c18"
const created = "2026-11-20T08:00:00.000Z"
const updated = "2026-11-20T08:05:12.345Z"

export const list = {
  id: listId,
  title: "Groceries",
  emoji: "🛒",
  today: false,
  favorited: false,
  archived: false,
  sort: "chronological",
  created,
  updated
}

export const thing = {
  id: thingId,
  list_id: listId,
  list_ref: null,
  text: "Oat **milk**, two litres",
  type: "todo",
  url: "",
  tags: ["errands"],
  tabs: 0,
  photos: [],
  completed: false,
  canceled: false,
  favorited: false,
  clone_of: null,
  has_clones: false,
  bold: false,
  italic: false,
  underline: false,
  header: false,
  subheader: false,
  quote: false,
  code: false,
  note: "",
  created,
  updated
}

export const reminder = {
  id: "0199f0c4-5c2b-7d61-a3f8-91b7e0d24c66",
  thing_id: thingId,
  list_id: listId,
  text: thing.text,
  at: "2026-11-23T09:00:00.000Z",
  all_day: false,
  repeat: "weekly",
  every: 1,
  repeat_until: null,
  days: ["monday"],
  end: null,
  duration_minutes: null,
  alert_minutes: 10,
  second_alert_minutes: null,
  color: "",
  place: null,
  summary: "Every Monday at 09:00"
}

export const paging = { page: 0, page_size: 50, has_more: false }

export const bulkCreated = { created: 2, skipped: 0, by_list: [{ list_id: listId, created: 2, skipped: 0 }] }

export const document = {
  id: listId,
  title: "Groceries",
  text: "- [ ] Oat milk, two litres",
  url: `http://localhost:3000/lists/${listId}`,
  metadata: { kind: "list", list_id: listId, type: "list", tags: ["errands"] }
}
