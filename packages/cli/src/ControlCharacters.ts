const replacement = "\ufffd"

/** One line without control characters, which a terminal would obey, whoever sent them. */
export const harmless = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, replacement)

/** The codes of the styles that `Terminal.paint` is asked for. */
const ownStyles = /^\u001b\[(?:1|2|22|31|32|33|39)m$/

/** Lines without control characters but those that end lines, indent, and set a style of our own. */
export const harmlessLines = (text: string): string =>
  text.replaceAll(/\u001b\[\d{1,2}m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (found) =>
    ownStyles.test(found) ? found : `${replacement}${found.slice(1)}`
  )
