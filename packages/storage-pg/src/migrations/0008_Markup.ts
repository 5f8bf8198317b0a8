/** The markdown notation in which a thing was written. Programs of earlier schemas neither read nor write it. */
export const version = 8
export const name = "Markup"
export const statements: ReadonlyArray<string> = [
  "alter table things add column if not exists markup text not null default ''"
]
