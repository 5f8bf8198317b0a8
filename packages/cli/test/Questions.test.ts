import { PassThrough } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { askHidden } from "../src/Questions.ts"

/** The input of a terminal, whose mode can no longer be set once it is closed. */
const terminalInput = () => {
  const state = { isClosed: false }
  const input = Object.assign(new PassThrough(), {
    setRawMode: () => void (state.isClosed && input.emit("error", new Error("setRawMode EIO")))
  })
  const close = () => {
    state.isClosed = true
    input.end()
  }
  return { input: input as unknown as NodeJS.ReadStream, type: (text: string) => input.write(text), close }
}

describe("a question whose answer is hidden", () => {
  it("returns the line that is typed", async () => {
    const { input, type } = terminalInput()
    const answer = askHidden("Password: ", input, new PassThrough())
    type("secret words\r")
    expect(await answer).toBe("secret words")
  })

  it("returns undefined if the terminal is closed", async () => {
    const { input, close } = terminalInput()
    const answer = askHidden("Password: ", input, new PassThrough())
    close()
    expect(await answer).toBeUndefined()
  })
})
