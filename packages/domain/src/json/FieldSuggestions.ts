import { comparable } from "../text/Nearest.ts"

/** The host whose terms an advice uses. */
export type Terms = "REST" | "tools"

const setTime = {
  REST: "PUT /things/{id}/reminder",
  tools: "set_reminder"
} as const

const setOne = {
  REST: "PATCH /things/{id}",
  tools: "update_thing"
} as const

/** Fields that a change of many things does not take. */
const ofOne = { text: "a text is", note: "a note is", photos: "photos are" } as const

const isOfOne = (field: string | undefined): field is keyof typeof ofOne => field !== undefined && field in ofOne

const ofThing = {
  text: ["text", "title", "content", "name", "body", "task", "todo", "item", "summary"],
  note: ["note", "notes", "description", "details", "comment"],
  photos: ["photos", "photo", "images", "image", "pictures", "picture"],
  completed: ["done", "checked", "finished", "status"],
  favorited: ["starred", "star", "favourite", "important", "priority", "flagged"],
  tabs: ["indent", "indentation", "level", "depth", "nesting"],
  tags: ["labels", "label", "categories", "category"],
  header: ["heading", "section", "isheader"],
  url: ["link", "href", "website"],
  list: ["project", "folder", "listname", "listtitle", "day"],
  time: [
    ...["time", "at", "due", "duedate", "dueat", "date", "deadline"],
    ...["reminder", "remindat", "when", "repeat", "recurrence"]
  ]
} as const

const ofReminder = {
  at: ["time", "datetime", "date", "due", "duedate", "dueat", "deadline", "when", "start", "startat", "remindat"],
  end: ["endat", "endtime"],
  duration_minutes: ["duration", "length", "minutes"],
  repeat: ["recurrence", "recurring", "frequency", "freq", "rrule"],
  every: ["interval"],
  repeat_until: ["until", "count", "occurrences", "times"],
  days: ["weekdays", "weekday", "byday", "dayofweek", "daysofweek"],
  alert_minutes: ["alert", "alarm", "notice", "notify", "remindbefore"],
  second_alert_minutes: ["secondalert"]
} as const

const ofPlaceReminder = {
  place: ["location", "placeid", "placename"],
  radius_m: ["radius", "radiusmeters"]
} as const

const ofPlace = {
  name: ["place", "title", "label", "placename"],
  address: ["location"],
  latitude: ["lat"],
  longitude: ["lng", "lon", "long"],
  radius_m: ofPlaceReminder.radius_m
} as const

const ofMarkdown = { markdown: ["text", "content", "body", "document", "md"] } as const

const addMarkdown = {
  REST: "POST /things/markdown",
  tools: "append_markdown"
} as const

/** Fields meant to add or remove single tags. */
const someTags: ReadonlySet<string> = new Set(["addtags", "addtag", "removetags", "removetag", "tagsadd", "tagsremove"])

/** Fields meant to name the thing under which another one is nested. */
const parents: ReadonlySet<string> = new Set(["parent", "parentid", "parenttask", "parentthing", "parentthingid"])

/** Fields meant to hold the things that are nested under a new one. */
const children: ReadonlySet<string> = new Set(["children", "subtasks", "subitems", "subthings", "subtodos", "nested"])

/** Fields meant to set the position of a thing in its list. */
const positions: ReadonlySet<string> = new Set([
  ...["position", "order", "index", "rank", "sort", "sortorder", "sorttime", "sequence"],
  ...["before", "after", "beforeid", "afterid", "insertbefore", "insertafter", "attop", "top"]
])

/** Fields meant to delete by a change. */
const deletions: ReadonlySet<string> = new Set([
  ...["deleted", "delete", "isdeleted", "removed", "remove", "trashed", "trash", "destroy"]
])

/** Fields meant to select things by when they are due. */
const dues: ReadonlySet<string> = new Set([
  ...["due", "duedate", "dueat", "duebefore", "dueafter", "dueby", "overdue", "upcoming", "deadline"],
  ...["reminder", "reminders", "hasreminder"]
])

/** Fields meant to include archived lists. */
const archives: ReadonlySet<string> = new Set(["archived", "includearchived", "showarchived", "onlyarchived"])

/** Fields meant to leave out what is newer. */
const ends: ReadonlySet<string> = new Set([
  ...["until", "before", "to", "end", "enddate", "upto", "createdbefore", "updatedbefore", "completedbefore"]
])

const zoneNames: ReadonlySet<string> = new Set(["timezone", "tz", "zone"])

const ofIdentity = {
  ids: ["thingids", "taskids", "todoids", "itemids", "thingid", "things", "items", "tasks", "todos"],
  thing_id: ["id", "ids", "thingids", "taskid", "todoid", "itemid", "thing", "reminderid"],
  list_id: ["id", "projectid"],
  operation_id: ["id", "operation", "undo"]
} as const

/** Fields meant to name a list by its title. */
const listNames: ReadonlySet<string> = new Set(["list", "listname", "listtitle"])

/** Of tools that read. */
const ofReading = {
  id: ["thingid", "listid", "itemid", "documentid", "uri", "url"],
  page_size: ["pagesize", "limit", "count", "max", "maxresults", "size", "perpage", "pagelimit", "top", "first"],
  page: ["offset", "skip", "start", "cursor", "pagenumber", "pageindex"],
  list: ["name", "title", "listname", "listtitle", "date", "day"],
  query: ["query", "q", "text", "title", "name", "keyword", "keywords", "term", "search", "contains"],
  completed: ["done", "checked", "finished", "status", "open"],
  include_completed: ["completed", "done", "checked", "finished", "status", "showcompleted"],
  since: ["after", "from", "startdate", "updatedsince", "createdafter", "updatedafter", "completedafter"],
  tag: ["tags", "label", "labels"],
  date: ["day", "list", "on", "when"],
  from: ["date", "day", "on", "start", "startdate", "after", "since"],
  to: ["end", "enddate", "until", "before", "days", "range", "within", "period", "week"],
  limit: ["count", "max", "maxresults", "size", "pagesize"]
} as const

const many = ["things", "items", "todos", "tasks", "entries"] as const

const ofList = { title: ["name"], things: many } as const
const ofBulk = { items: many } as const

/** The field that each name is tried for. */
const triedFor = <Field extends string>(
  tried: Readonly<Record<Field, ReadonlyArray<string>>>
): ReadonlyMap<string, Field> => {
  const fields = new Map<string, Field>()
  for (const field in tried) for (const name of tried[field]) fields.set(name, field)
  return fields
}

/** The field that says which things or which list is meant, for what is tried in its place. */
const identityFor = (tried: string, known: ReadonlyArray<string>): Advice | undefined => {
  const named = (["ids", "thing_id", "operation_id"] as const).find((field) => known.includes(field))
  const field = named ?? (known.includes("text") ? undefined : "list_id")
  if (field === undefined || !known.includes(field)) return undefined
  if (field === "list_id" && listNames.has(tried) && !known.includes("list"))
    return { text: "did you mean list_id? It takes an id, never a title", field }
  if (tried === "reminderid" && known.includes("id")) return use("id")
  return (ofIdentity[field] as ReadonlyArray<string>).includes(tried) ? use(field) : undefined
}

/** What to use in place of an argument of a tool that reads; the same word may stand for several. */
const adviceOfReading = (tried: string, known: ReadonlyArray<string>): Advice | undefined => {
  const meant = (Object.keys(ofReading) as ReadonlyArray<keyof typeof ofReading>).filter((field) =>
    (ofReading[field] as ReadonlyArray<string>).includes(tried)
  )
  const field = meant.find((each) => known.includes(each))
  if (field === "completed" && tried === "open") return { text: "open things are those with completed false" }
  if (field !== undefined) return use(field)
  if (known.includes("include_place") && tried === "overdue")
    return { text: "without from and to, the overdue ones come after those to come" }
  if (!known.includes("page")) return undefined
  if (known.includes("since") && ends.has(tried))
    return { text: "the newest come first, and page leads to older ones", field: "page" }
  if (archives.has(tried)) return { text: "search finds archived lists too" }
  if (dues.has(tried)) return { text: "list_reminders shows what is due" }
  if (meant.includes("page_size")) return { text: "pages have a fixed size, and page asks for the next", field: "page" }
  return meant.includes("query") ? { text: "search finds titles and texts" } : undefined
}

const meantOfThing = triedFor(ofThing)
const meantOfReminder = triedFor({ ...ofReminder, ...ofPlaceReminder })
const meantOfPlace = triedFor(ofPlace)
const meantOfMarkdown = triedFor(ofMarkdown)
const meantOfList = triedFor(ofList)
const meantOfBulk = triedFor(ofBulk)

/** What to use in place of a field. */
export interface Advice {
  readonly text: string
  /** The field that it names, where there is one. */
  readonly field?: string
}

/**
 * What to use in place of a field that other products have (docs/decisions.md#errors), for an object with the `known`
 * fields; undefined when there is no suggestion.
 */
export const adviceFor = (field: string, known: ReadonlyArray<string>, terms: Terms): Advice | undefined => {
  const tried = comparable(field)
  const identity = identityFor(tried, known)
  if (identity !== undefined) return identity
  if (isOfThing(known)) {
    const wanted = meantOfThing.get(tried)
    if (tried === "dryrun" && terms === "REST") return { text: "it belongs in the address, ?dry_run=true" }
    if (wanted === "time")
      return {
        text: `a time is set by ${setTime[terms]}, a day by the day list that the thing is in`,
        ...dayList(known)
      }
    if (someTags.has(tried) && known.includes("tags"))
      return { text: "tags replaces those of a thing, so give all that it is to have", field: "tags" }
    if (parents.has(tried)) return nestingOf(known)
    if (children.has(tried) && known.includes("created"))
      return { text: "what is nested under a thing follows it, as things of their own with tabs", field: "tabs" }
    if (positions.has(tried)) return positionOf(known)
    if (deletions.has(tried)) return { text: "no change deletes a thing" }
    if (tried === "set") return { text: "its fields are given directly" }
    if (isOfOne(wanted) && !known.includes(wanted))
      return { text: `${ofOne[wanted]} changed one thing at a time, by ${setOne[terms]}` }
    return useKnown(wanted, known)
  }
  if (isOfReminder(known)) {
    if (zoneNames.has(tried))
      return { text: "a time in another zone has its offset, as in 2026-11-23T09:00+01:00", field: "at" }
    return useKnown(meantOfReminder.get(tried), known)
  }
  const reading = terms === "tools" ? adviceOfReading(tried, known) : undefined
  if (reading !== undefined) return reading
  if (known.includes("latitude")) return useKnown(meantOfPlace.get(tried), known)
  if (known.includes("markdown")) return adviceOfMarkdown(tried, known, terms)
  if (isOfList(known) && deletions.has(tried)) return { text: "no change deletes a list" }
  if (isOfList(known)) return useKnown(meantOfList.get(tried), known)
  return known.includes("items") ? useKnown(meantOfBulk.get(tried), known) : undefined
}

/** The order of a list follows `created`, which can only be set when a thing is created. */
const positionOf = (known: ReadonlyArray<string>): Advice =>
  known.includes("created")
    ? { text: "things stand in the order in which they are made, or of created where that is given", field: "created" }
    : { text: "a thing keeps its place in its list, and a move to another list puts it at the end" }

/** A thing is under the one before it, so a new one can only be under the last of its list. */
const nestingOf = (known: ReadonlyArray<string>): Advice => {
  const end = known.includes("created") ? ", and a new one goes to the end of its list" : ""
  return { text: `tabs nests a thing under the one before it${end}`, field: "tabs" }
}

const adviceOfMarkdown = (tried: string, known: ReadonlyArray<string>, terms: Terms): Advice | undefined => {
  const isNewList = known.includes("title")
  if (isNewList && (tried === "list" || tried === "listid"))
    return { text: `this makes a list, and ${addMarkdown[terms]} adds to one that is there` }
  return useKnown(isNewList && tried === "name" ? "title" : meantOfMarkdown.get(tried), known)
}

const useKnown = (field: string | undefined, known: ReadonlyArray<string>): Advice | undefined =>
  field !== undefined && known.includes(field) ? use(field) : undefined

const use = (field: string): Advice => ({ text: `use ${field}`, field })

const dayList = (known: ReadonlyArray<string>) => (known.includes("list") ? { field: "list" } : {})

/** Whether these are the fields of a created or updated thing, not of a query or a list. */
const isOfThing = (known: ReadonlyArray<string>): boolean => known.includes("completed") && known.includes("tabs")

const isOfList = (known: ReadonlyArray<string>): boolean => known.includes("title") && known.includes("emoji")

const isOfReminder = (known: ReadonlyArray<string>): boolean => known.includes("at") && known.includes("alert_minutes")
