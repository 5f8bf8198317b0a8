import { inspect } from "node:util"

const replacement = "\ufffd"

/** One line without control characters, which a terminal would obey, whoever sent them. */
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, replacement)

/** What text is painted in. */
export const styles = ["bold", "dim", "red", "green", "yellow", "cyan"] as const
export type Style = (typeof styles)[number]

const ownCodes: ReadonlySet<string> = new Set(
  styles.flatMap((style) => inspect.colors[style]!.map((code) => `\u001b[${code}m`))
)

/** Lines without control characters but those that end lines, indent, and set a style of our own. */
export const harmlessLines = (text: string): string =>
  text.replaceAll(/\u001b\[\d{1,2}m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (found) =>
    ownCodes.has(found) ? found : `${replacement}${found.slice(1)}`
  )
