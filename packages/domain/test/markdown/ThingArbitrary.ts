import { thing } from "@lists-and-things/testing/Fixtures"
import * as fc from "fast-check"
import { AccountId, ListId, ThingId } from "../../src/model/Ids.ts"
import { type Thing, thingTypes } from "../../src/model/Thing.ts"
import { cleanUrl, isUrl } from "../../src/text/Urls.ts"
import type { ParsedThing } from "../../src/markdown/ParsedThing.ts"

/** The fields of a thing that markdown can represent. */
export type Written = ParsedThing

const pieces = [
  "word",
  " ",
  "  ",
  "    ",
  "\t",
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  "\\",
  "\\\\",
  "#",
  "## ",
  "# not a heading",
  "1. x",
  "12) ",
  "1.",
  "- ",
  "- [ ] x",
  "* ",
  "+ ",
  "-",
  "---",
  "***",
  "===",
  "_",
  "__",
  "_x_",
  "__x__",
  "snake_case_name",
  "*",
  "**",
  "*i*",
  "**bold**",
  "~~",
  "~~s~~",
  "~",
  "`",
  "``",
  "```",
  "```js",
  "`code`",
  "`a_b\\c`",
  "~~~",
  "> ",
  ">",
  ">>>",
  "<div>",
  "</div>",
  "<!-- c -->",
  "<!--",
  "-->",
  '<a href="_x_">',
  "<https://example.org/_a_>",
  "https://example.org/_x_y_",
  "[label](https://example.org)",
  "[a]",
  "](",
  "[",
  "]",
  "(",
  ")",
  "![alt](https://example.org/p.png)",
  "![",
  "!",
  "[x] ",
  "[ ] ",
  "[-] ",
  '[a](b "c")',
  "[a](<b c> 'd')",
  ' "',
  "'",
  "[^1]: note",
  "[ref]: https://example.org",
  "[ref]",
  "[a][ref]",
  "`]: b`",
  "]:",
  "&amp;",
  "&",
  "&#35;",
  "&lt",
  "&copy;",
  "|",
  "| a | b |",
  "|---|",
  ":",
  "\u00a0",
  "\ufeff",
  "\u2028",
  "\u000b",
  "\f",
  "é",
  "😀",
  "<!-- lat: todo -->",
  " <!-- lat: text tabs=3 -->",
  "note",
  "= ",
  "+",
  "1",
  "0.",
  ".",
  "end\\"
] as const

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((parts) => parts.join("")) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\0", "")) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(..."ab \n\t\\`*_~[]()<>!&#-+.1:;"), maxLength: 14 }) }
)

const url = fc
  .oneof(
    fc.constantFrom(
      "https://example.org",
      "https://example.org/a_(b)_c?x=1&amp=2&amp;y",
      "mailto:a@b.c",
      "https://example.org/a b",
      "https://e.org/`x`<y>\\z[1]",
      "https://e.org/)",
      "https://e.org/(",
      "tel:+1"
    ),
    fc
      .tuple(fc.webUrl({ withQueryParameters: true, withFragments: true }), nastyText)
      .map(([base, tail]) => cleanUrl(base + tail))
  )
  .filter((candidate) => isUrl(candidate) && URL.canParse(candidate))

const photo = url.filter((candidate) => /^https?:\/\//.test(candidate))

const shape = fc.record({
  text: nastyText,
  type: fc.constantFrom(...thingTypes),
  url: fc.oneof({ weight: 4, arbitrary: fc.constant("") }, url),
  photos: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(photo, { minLength: 1, maxLength: 3 })),
  tabs: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.integer({ min: 0, max: 1000 })),
  state: fc.constantFrom("open", "open", "completed", "canceled"),
  heading: fc.constantFrom("", "", "", "header", "subheader"),
  block: fc.constantFrom("", "", "", "quote", "code"),
  language: fc.constantFrom("", "js", "c++ {1,2}", "a`b", "~x", 'js title="_a_ &amp;"'),
  note: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, nastyText)
})

/** Whether code is written in a fence, which can have a language. */
const isFenced = (rest: { readonly text: string; readonly url: string; readonly photos: ReadonlyArray<string> }) =>
  rest.url === "" && rest.photos.length === 0 && !rest.text.includes("\r")

/** Any thing that can be stored: its text is not blank, unless it has a url or photos. */
export const written: fc.Arbitrary<Written> = shape
  .map(({ state, heading, block, language, ...rest }) => ({
    ...rest,
    markup: block === "code" && isFenced(rest) ? language : "",
    completed: state === "completed",
    canceled: state === "canceled",
    header: heading === "header",
    subheader: heading === "subheader",
    bold: heading !== "",
    quote: block === "quote",
    code: block === "code"
  }))
  .filter((thing) => thing.text.trim() !== "" || thing.url !== "" || thing.photos.length > 0)

const [owner, listId, id] = [AccountId.make("account"), ListId.make("list"), ThingId.make("thing")]

export const stored = (content: Partial<Written>): Thing =>
  thing(owner, listId, { id, text: "", type: "none", ...content })
