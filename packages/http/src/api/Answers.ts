import { Schema } from "effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { BulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { ChangesJson } from "@lists-and-things/domain/json/ChangeJson"
import { Count, described } from "@lists-and-things/domain/json/Described"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { OperationJson, OperationViewJson } from "@lists-and-things/domain/json/OperationJson"
import { pageFields } from "@lists-and-things/domain/json/PageJson"
import { OccurrencesJson, PreviewJson, ReminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { DocumentJson, foundFields, SearchJson, TagsJson } from "@lists-and-things/domain/json/SearchJson"
import { DeliveriesJson, DeliveryJson, SecretJson, WebhookJson } from "@lists-and-things/domain/json/WebhookJson"
import { ThingJson, UpdatedThingJson } from "@lists-and-things/domain/json/ThingJson"

/** Bodies of successful answers, built from the domain's schemas. */

const created = HttpApiSchema.status(201)

const List = ListJson.annotate({ identifier: "List" })
const Thing = ThingJson.annotate({ identifier: "Thing" })
const Reminder = ReminderJson.annotate({ identifier: "Reminder" })

export const ListPage = Schema.Struct({
  lists: described(Schema.Array(List), "Most recently modified first."),
  ...pageFields
}).annotate({ identifier: "ListPage" })
export const ListView = Schema.Struct({
  list: List,
  things: described(Schema.Array(Thing), "In display order."),
  reminders: described(Schema.Array(Reminder), "The reminders on these things.")
}).annotate({ identifier: "ListView" })
export const CreatedList = Schema.Struct({
  list: List,
  created: described(Count, "How many things were added."),
  skipped: described(Count, "How many were left out because they are blank.")
})
  .annotate({ identifier: "CreatedList" })
  .pipe(created)
export const OneList = Schema.Struct({ list: List }).annotate({ identifier: "OneList" })
export const Success = Schema.Struct({
  success: described(Schema.Boolean, "Always true: it is deleted, or did not exist.")
}).annotate({ identifier: "Success" })
export const Markdown = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))

export const ThingPage = Schema.Struct({
  things: described(Schema.Array(Thing), "Newest first."),
  ...pageFields
}).annotate({ identifier: "ThingPage" })
export const CreatedThing = Schema.Struct({ thing: Thing }).annotate({ identifier: "CreatedThing" }).pipe(created)
export const ThingView = Schema.Struct({
  thing: Thing,
  reminder: described(Schema.NullOr(Reminder), "The reminder on the thing; null when it has none.")
}).annotate({
  identifier: "ThingView"
})
export const UpdatedThing = Schema.Struct({
  ...UpdatedThingJson.fields,
  thing: Thing
}).annotate({ identifier: "UpdatedThing" })
export const BulkCreated = BulkCreatedJson.annotate({ identifier: "BulkCreated" }).pipe(created)
export const BulkUpdated = Schema.Struct({
  updated: described(Count, "How many things were given the change."),
  skipped: described(Count, "How many of the ids name no thing of the account.")
}).annotate({
  identifier: "BulkUpdated"
})
export const BulkDeleted = Schema.Struct({
  deleted: described(Count, "How many things were deleted.")
}).annotate({ identifier: "BulkDeleted" })

export const OneReminder = Schema.Struct({ reminder: Reminder }).annotate({ identifier: "OneReminder" })
export const Reminders = Schema.Struct({
  reminders: described(Schema.Array(Reminder), "Future reminders, soonest first, then overdue ones, most recent first.")
}).annotate({ identifier: "Reminders" })
export const Occurrences = OccurrencesJson.annotate({ identifier: "Occurrences" })
export const Preview = PreviewJson.annotate({ identifier: "Preview" })

export const SearchAnswer = Schema.Struct({
  ...SearchJson.fields,
  ...foundFields(List, Thing)
}).annotate({ identifier: "SearchAnswer" })
export const Document = DocumentJson.annotate({ identifier: "Document" })
export const Tags = TagsJson.annotate({ identifier: "Tags" })

const Operation = OperationJson.annotate({ identifier: "Operation" })
export const OperationPage = Schema.Struct({
  operations: described(Schema.Array(Operation), "Newest first."),
  ...pageFields
}).annotate({
  identifier: "OperationPage"
})
export const OperationView = Schema.Struct({ ...OperationViewJson.fields, operation: Operation }).annotate({
  identifier: "OperationView"
})
export const Undone = Schema.Struct({ operation: Operation, undone: Operation }).annotate({ identifier: "Undone" })
const Webhook = WebhookJson.annotate({ identifier: "Webhook" })
export const OneWebhook = Schema.Struct({ webhook: Webhook }).annotate({ identifier: "OneWebhook" })
export const WebhookList = Schema.Struct({
  webhooks: described(Schema.Array(Webhook), "Oldest first.")
}).annotate({ identifier: "WebhookList" })
export const WebhookSecret = Schema.Struct({ ...SecretJson.fields, webhook: Webhook }).annotate({
  identifier: "WebhookSecret"
})
export const CreatedWebhook = Schema.Struct(WebhookSecret.fields)
  .annotate({ identifier: "CreatedWebhook" })
  .pipe(created)
const Delivery = DeliveryJson.annotate({ identifier: "Delivery" })
export const OneDelivery = Schema.Struct({ delivery: Delivery }).annotate({ identifier: "OneDelivery" })
export const DeliveryPage = Schema.Struct({
  ...DeliveriesJson.fields,
  deliveries: described(Schema.Array(Delivery), "Newest first.")
}).annotate({
  identifier: "DeliveryPage"
})
export const Replayed = Schema.Struct({
  replayed: described(Count, "How many deliveries are sent again.")
}).annotate({ identifier: "Replayed" })
export const Changes = ChangesJson.annotate({ identifier: "Changes" })
