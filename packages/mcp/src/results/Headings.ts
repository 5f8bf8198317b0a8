import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"

/**
 * A list's markdown with each heading below its title one level deeper, so that it stands in a section of the second
 * level. What is in fences, code and notes, is unchanged.
 */
export function* deeperHeadings(markdown: string): Steps<string> {
  const lines: Array<string> = []
  let fence: string | undefined
  for (const line of markdown.split("\n")) {
    const [before = "", mark] = /^[ >]*(`{3,}|~{3,})/.exec(line) ?? []
    const rest = line.slice(before.length)
    lines.push(fence === undefined && mark === undefined ? line.replace(/^( *)(#{2,} )/, "$1#$2") : line)
    if (fence === undefined) fence = rest.includes("`") ? undefined : mark
    else if (mark?.startsWith(fence) === true && rest.trim() === "") fence = undefined
    yield
  }
  return lines.join("\n")
}
