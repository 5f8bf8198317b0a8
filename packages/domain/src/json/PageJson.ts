import { Schema } from "effect"
import type { Page } from "../ports/Storage.ts"
import { Count, described } from "./Described.ts"

/** What every page has beside its entries (docs/contract.md#smaller-shapes). */
export const pageFields = {
  page: described(Count, "Which page this is, from zero."),
  page_size: described(Count, "How many entries a whole page has."),
  has_more: described(Schema.Boolean, "Whether there is a page after it.")
}

/** `page` counts from 0. */
export const pageJson = ({ hasMore }: Page<unknown>, page: number, pageSize: number) => ({
  page,
  page_size: pageSize,
  has_more: hasMore
})
