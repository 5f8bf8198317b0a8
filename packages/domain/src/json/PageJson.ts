import { Schema } from "effect"
import type { Page } from "../ports/Storage.ts"
import { Count, described } from "./Described.ts"

/** What every page has beside its entries (docs/contract.md#smaller-shapes). */
export const pageFields = {
  page: described(Count, "The number of this page, from zero."),
  page_size: described(Count, "The number of entries in a full page."),
  has_more: described(Schema.Boolean, "Whether there is another page.")
}

/** `page` counts from 0. */
export const pageJson = ({ hasMore }: Page<unknown>, page: number, pageSize: number) => ({
  page,
  page_size: pageSize,
  has_more: hasMore
})
