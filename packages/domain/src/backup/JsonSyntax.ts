const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y

/**
 * Which token may come next: a value, a value or the end of an array, a member's name, its colon, or what follows a
 * value.
 */
type Expected = "value" | "first-element" | "first-name" | "name" | "colon" | "after"

/**
 * The offset of the first syntax error in a text that is not valid JSON, since the parser's own messages do not always
 * report it. The length of the text when it ends too early.
 */
export const brokenAt = (text: string): number => {
  const open: Array<"{" | "["> = []
  let expected: Expected = "value"
  token.lastIndex = 0
  for (let at = 0; ; at = token.lastIndex) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return behindSpace(text, at)
    const next = follow(expected, match[1], match[2] !== undefined, open)
    if (next === undefined) return behindSpace(text, at)
    expected = next
    if (open.length === 0 && expected === "after") return behindSpace(text, token.lastIndex)
  }
}

/** The next expected token after punctuation, a string or another scalar; undefined where the token is not allowed. */
const follow = (
  expected: Expected,
  sign: string | undefined,
  isString: boolean,
  open: Array<"{" | "[">
): Expected | undefined => {
  const wantsValue = expected === "value" || expected === "first-element"
  if (sign === "{" || sign === "[") {
    if (!wantsValue) return undefined
    open.push(sign)
    return sign === "{" ? "first-name" : "first-element"
  }
  if (sign === "}" || sign === "]") {
    const empty = sign === "}" ? "first-name" : "first-element"
    return (expected === "after" || expected === empty) && open.pop() === (sign === "}" ? "{" : "[")
      ? "after"
      : undefined
  }
  if (sign === ",") return expected === "after" ? (open.at(-1) === "{" ? "name" : "value") : undefined
  if (sign === ":") return expected === "colon" ? "value" : undefined
  if (expected === "name" || expected === "first-name") return isString ? "colon" : undefined
  return wantsValue ? "after" : undefined
}

const behindSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && " \t\n\r".includes(text[at]!)) at++
  return at
}
