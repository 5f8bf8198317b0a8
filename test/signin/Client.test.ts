import { describe, expect, it } from "@effect/vitest"
import { connected } from "./Connected.ts"
import { sdkKinds } from "./Journey.ts"

describe.each(sdkKinds)("the client of %s", (kind) => {
  it("goes from no credential to a tool call, gets more scopes, refreshes, and ends when it is disconnected", async () => {
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
    expect(seen.transcript.join("\n")).not.toMatch(/lat_(?:at|rt|ac)_\w/)
  })
})
