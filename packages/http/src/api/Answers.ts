import { Schema } from "effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { BulkCreatedJson, RepeatingReminderJson } from "@lists-and-things/domain/json/BulkJson"
import { ChangesJson } from "@lists-and-things/domain/json/ChangeJson"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { OperationJson, OperationViewJson } from "@lists-and-things/domain/json/OperationJson"
import { OccurrencesJson, PreviewJson, ReminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { DocumentJson, SearchJson, TagsJson } from "@lists-and-things/domain/json/SearchJson"
import { ThingJson } from "@lists-and-things/domain/json/ThingJson"

/** Bodies of successful answers, built from the domain's schemas. */

const created = HttpApiSchema.status(201)

export const List = ListJson.annotate({ identifier: "List" })
export const Thing = ThingJson.annotate({ identifier: "Thing" })
export const Reminder = ReminderJson.annotate({ identifier: "Reminder" })

const paging = { page: Schema.Int, page_size: Schema.Int, has_more: Schema.Boolean }

export const ListPage = Schema.Struct({ lists: Schema.Array(List), ...paging }).annotate({ identifier: "ListPage" })
export const ListView = Schema.Struct({
  list: List,
  things: Schema.Array(Thing),
  reminders: Schema.Array(Reminder)
}).annotate({ identifier: "ListView" })
export const CreatedList = Schema.Struct({ list: List, created: Schema.Int, skipped: Schema.Int })
  .annotate({ identifier: "CreatedList" })
  .pipe(created)
export const OneList = Schema.Struct({ list: List }).annotate({ identifier: "OneList" })
export const Success = Schema.Struct({ success: Schema.Boolean }).annotate({ identifier: "Success" })
export const Markdown = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))

export const ThingPage = Schema.Struct({ things: Schema.Array(Thing), ...paging }).annotate({ identifier: "ThingPage" })
export const CreatedThing = Schema.Struct({ thing: Thing }).annotate({ identifier: "CreatedThing" }).pipe(created)
export const ThingView = Schema.Struct({ thing: Thing, reminder: Schema.NullOr(Reminder) }).annotate({
  identifier: "ThingView"
})
export const UpdatedThing = Schema.Struct({
  thing: Thing,
  repeating_reminder: Schema.optionalKey(RepeatingReminderJson),
  reminder_removed: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "UpdatedThing" })
export const BulkCreated = BulkCreatedJson.annotate({ identifier: "BulkCreated" }).pipe(created)
export const BulkUpdated = Schema.Struct({ updated: Schema.Int, skipped: Schema.Int }).annotate({
  identifier: "BulkUpdated"
})
export const BulkDeleted = Schema.Struct({ deleted: Schema.Int }).annotate({ identifier: "BulkDeleted" })

export const OneReminder = Schema.Struct({ reminder: Reminder }).annotate({ identifier: "OneReminder" })
export const Reminders = Schema.Struct({ reminders: Schema.Array(Reminder) }).annotate({ identifier: "Reminders" })
export const Occurrences = OccurrencesJson.annotate({ identifier: "Occurrences" })
export const Preview = PreviewJson.annotate({ identifier: "Preview" })

export const SearchAnswer = Schema.Struct({
  ...SearchJson.fields,
  lists: Schema.Array(List),
  things: Schema.Array(Thing)
}).annotate({ identifier: "SearchAnswer" })
export const Document = DocumentJson.annotate({ identifier: "Document" })
export const Tags = TagsJson.annotate({ identifier: "Tags" })

export const Operation = OperationJson.annotate({ identifier: "Operation" })
export const OperationPage = Schema.Struct({ operations: Schema.Array(Operation), ...paging }).annotate({
  identifier: "OperationPage"
})
export const OperationView = Schema.Struct({ ...OperationViewJson.fields, operation: Operation }).annotate({
  identifier: "OperationView"
})
export const Undone = Schema.Struct({ operation: Operation, undone: Operation }).annotate({ identifier: "Undone" })
export const Changes = ChangesJson.annotate({ identifier: "Changes" })
