import { tmpdir } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { homeAmong } from "../src/DefaultDataFolder.ts"

const unknown = () => {
  throw new Error("uv_os_get_passwd returned ENOENT")
}

describe("the home folder", () => {
  it("is the first that can be written to, else the last that is known, else the root folder", () => {
    expect(homeAmong([tmpdir, () => "/nowhere"])).toBe(tmpdir())
    expect(homeAmong([() => "/nowhere", tmpdir])).toBe(tmpdir())
    expect(homeAmong([() => "/nowhere", () => "/no/where"])).toBe("/no/where")
    expect(homeAmong([() => "/nowhere", unknown])).toBe("/nowhere")
    expect(homeAmong([unknown, unknown])).toBe("/")
  })
})
