import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { OtherLayout, partsOf } from "../../src/backup/BackupLayout.ts"
import { openBackup } from "../../src/backup/BackupParser.ts"
import { backupLayer, exported, sample } from "./Sample.ts"

const sampleText = Effect.runPromise(
  Effect.provide(Effect.flatMap(sample("ann@example.com"), exported) as Effect.Effect<string>, backupLayer)
)

/** Everything that an export has, as it is read. */
const contentOf = (pieces: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { account, lists, places, reminders, things, webhooks } = yield* openBackup(Stream.fromIterable(pieces))
      return {
        ...{ account, lists, places, webhooks },
        things: yield* Stream.runCollect(things),
        reminders: yield* Stream.runCollect(reminders)
      }
    })
  )

const layoutOf = (text: string) => Effect.runPromise(Stream.runCollect(partsOf(Stream.make(text))))

describe("the text of an export", () => {
  it("is read in pieces of any length", async () => {
    const text = await sampleText
    const whole = await contentOf([text])
    const cuts = fc.array(fc.nat(text.length), { maxLength: 20 }).map((each) => each.toSorted((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(cuts, async (ends) => {
        const pieces = [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
        expect(await contentOf(pieces)).toStrictEqual(whole)
      }),
      { numRuns: 20 }
    )
  })

  it("may be laid out in another way", async () => {
    const text = await sampleText
    const whole = await contentOf([text])
    const value = JSON.parse(text) as object
    const others = [
      ...[JSON.stringify(value), JSON.stringify(value, null, 2), text.replaceAll("\n", "\n ")],
      ...[text.replace(/"places": \[\n/, '"places": [ '), `\n${text}`],
      JSON.stringify(Object.fromEntries(Object.entries(value).toReversed()))
    ]
    for (const other of others) {
      await expect(layoutOf(other)).rejects.toBeInstanceOf(OtherLayout)
      expect(await contentOf([other])).toStrictEqual(whole)
    }
    for (const same of [`${text}\n`, text.replaceAll("\n", "\r\n")]) {
      expect((await layoutOf(same)).map(({ _tag }) => _tag)).toContain("Records")
      expect(await contentOf([same])).toStrictEqual(whole)
    }
  })

  it("is read no further than the records that are asked for", async () => {
    const lines = (await sampleText).split("\n").map((line) => `${line}\n`)
    let read = 0
    const pieces = Stream.map(Stream.fromIterable(lines).pipe(Stream.rechunk(1)), (line) => {
      read++
      return line
    })
    const parts = await Effect.runPromise(Stream.runCollect(Stream.take(partsOf(pieces), 2)))
    expect(parts.map(({ _tag }) => _tag)).toStrictEqual(["Head", "Records"])
    expect(read).toBeLessThan(lines.length / 2)
  })

  it("that is too large for one text must be laid out as it was written", async () => {
    const text = await sampleText
    const blank = " ".repeat(2 ** 20)
    const pieces = Stream.concat(
      Stream.make(`${text.slice(0, text.indexOf('"lists"'))} `),
      Stream.forever(Stream.make(blank))
    )
    const error = await Effect.runPromise(Effect.flip(openBackup(pieces)))
    expect(error.message).toBe(
      "line 9 is not as an export has it, one record per line: the file is damaged, or laid out in another way, which may have at most 500 million characters"
    )
  })

  it("is refused when it changes while it is restored", async () => {
    const text = await sampleText
    let reads = 0
    const changing = Stream.suspend(() =>
      Stream.make(reads++ === 0 ? text : text.replace('"things": [', '"things": [['))
    )
    const error = await Effect.runPromise(
      Effect.flatMap(openBackup(changing), ({ things }) => Effect.flip(Stream.runDrain(things)))
    )
    expect(error.message).toMatch(/^line \d+ was changed while the export was restored$/)
  })
})
