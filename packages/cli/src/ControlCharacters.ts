import { inspect } from "node:util"

const replacement = "\ufffd"

/** Replaces all control characters, line breaks included: a terminal would obey those in texts that others wrote. */
export const withoutControls = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, replacement)

/** The styles that `Terminal.paint` accepts. */
export const styles = ["bold", "dim", "red", "green", "yellow", "cyan"] as const
export type Style = (typeof styles)[number]

const styleCodes: ReadonlySet<string> = new Set(
  styles.flatMap((style) => inspect.colors[style]!.map((code) => `\u001b[${code}m`))
)

/**
 * Replaces control characters except line feeds, tabs and the codes of `styles`; these too if `paint` adds none, since
 * they then come from a user's text.
 */
export const withoutControlsInLines = (text: string, paint: (style: Style, text: string) => string): string => {
  const isPainted = paint("bold", "x") !== "x"
  return text.replaceAll(/\u001b\[\d{1,2}m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (found) =>
    isPainted && styleCodes.has(found) ? found : `${replacement}${found.slice(1)}`
  )
}
