import { truncate } from "../text/Characters.ts"

/** The path of a value within a body or a tool's arguments, such as `items[37].text`; long keys are truncated. */
export const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? shortened(key) : `${text}.${shortened(key)}`,
    ""
  )

const shortened = (key: PropertyKey): string => (key === "" ? '""' : truncate(String(key), 40))
