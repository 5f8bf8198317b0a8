/**
 * Of images that are rows in the text form that PostgreSQL gives them: the names of their columns, separated by commas.
 * Null where images are objects, as in programs of earlier schemas.
 */
export const version = 18
export const name = "RowImages"
export const statements: ReadonlyArray<string> = ["alter table operation_images add column if not exists columns text"]
