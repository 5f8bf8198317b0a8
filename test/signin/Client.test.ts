import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Shown } from "../documents/Shown.ts"
import { connected } from "./Connected.ts"
import { sdkKinds } from "./Journey.ts"

const document = readFileSync(join(import.meta.dirname, "../../docs/sign-in.md"), "utf8")

/** The documented transcript, of the first SDK's client. */
const [, documented = ""] = /^```text\n(# No credential[^`]*)^```$/m.exec(document)!

describe.each(sdkKinds)("the client of %s", (kind) => {
  it("signs in, calls a tool, gets more scopes, refreshes its token, and is refused when disconnected", async () => {
    const seen = await connected(kind)
    expect(seen.tools).toBe(27)
    expect(seen.firstScope).toBe("read:lists read:things search")
    expect(seen.created).toMatchObject({ list: { title: "Packing" } })
    expect(seen.wantedScope.split(" ").toSorted()).toStrictEqual(
      ["read:lists", "read:things", "search", "write:lists"].toSorted()
    )
    expect(seen.listedLater).toMatchObject({ lists: [{ title: "Packing" }] })
    expect(seen.refreshed).toBe(true)
    expect(seen.programsShown).toBe(1)
    expect(seen.afterDisconnect).toMatch(/unauthorized/i)
    const transcript = seen.transcript
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
    expect(transcript).not.toMatch(/lat_(?:at|rt|ac)_\w/)
    if (kind === sdkKinds[0] && !new Shown("2026-11-21").matches(documented, transcript))
      expect(transcript, "docs/sign-in.md").toBe(documented)
  })
})
