import { Effect } from "effect"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { HttpServerResponse } from "effect/http"
import { CurrentTimeSlices } from "@lists-and-things/domain/scheduling/TimeSlices"
import { encodedInSteps } from "../../src/edge/AnswerChunks.ts"
import { Html, html, HtmlParts } from "../../src/pages/Html.ts"
import { page } from "../../src/pages/Page.ts"
import { minutesChoice } from "../../src/pages/ReminderForm.ts"

const longest = (markup: Html): number => Math.max(...markup.pieces.map((piece) => piece.length))

const whole = (parts: ReadonlyArray<Html>): Html => {
  const made = new HtmlParts()
  for (const part of parts) made.add(part)
  return made.whole()
}

describe("markup", () => {
  it("is one string while short, and in pieces when long, however it is composed", () => {
    const word = fc.constantFrom("<", "a&b", "é".repeat(30_000), "🦊".repeat(40_000), "")
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 6 }), (rows) => {
        const made = html`<ul>${rows.map((row) => html`<li>${whole(row.map((each) => html`<b>${each}</b>`))}</li>`)}</ul>`
        const shown = (each: string) => each.replaceAll("&", "&#38;").replaceAll("<", "&#60;")
        const text = rows.map((row) => `<li>${row.map((each) => `<b>${shown(each)}</b>`).join("")}</li>`).join("")
        expect(made.text).toBe(`<ul>${text}</ul>`)
        expect(made.pieces.length > 0).toBe(made.text.length >= 64 * 1024)
        expect(made.rest.length).toBeLessThan(64 * 1024)
        expect(longest(made)).toBeLessThan(150_000)
      }),
      { numRuns: 50, seed: 11 }
    )
  })

  it("is encoded piece by piece, and other fibers run in between", async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => html`<p>${`${at} ${"é🦊".repeat(50)}`}</p>`)
    const long = page("Long", whole(rows))
    let turns = 0
    const counted = { isDue: () => true, yieldNow: Effect.sync(() => void turns++) }
    const answer = await Effect.runPromise(Effect.provideService(encodedInSteps(long), CurrentTimeSlices, counted))
    expect(turns).toBeGreaterThan(10)
    const sent = HttpServerResponse.toWeb(answer)
    expect(answer.body._tag).toBe("Stream")
    const text = await sent.text()
    expect(text).toContain(rows.map((row) => row.text).join(""))
    expect(sent.headers.get("content-length")).toBe(String(Buffer.byteLength(text)))
    expect(sent.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(sent.headers.get("cache-control")).toBe("no-store")
    expect(await Effect.runPromise(encodedInSteps(page("Short", html`a`)))).toMatchObject({
      body: { _tag: "Uint8Array" }
    })
  })
})

it("a choice of minutes has the usual ones, and the present number where that is another one", () => {
  const optionsOf = (chosen: number) =>
    [...minutesChoice("alert", "Alert", chosen).text.matchAll(/value="(\d+)"( selected)?/g)].map(
      ([, minutes, selected]) => `${minutes}${selected ?? ""}`
    )
  const usual = optionsOf(60)
  expect(usual).toContain("60 selected")
  expect(optionsOf(47)).toStrictEqual([...usual.map((each) => each.replace(" selected", "")), "47 selected"])
})
