import {
  Conflict,
  Forbidden,
  Gone,
  NotReady,
  Overloaded,
  StorageUnavailable,
  TooManyWaiting,
  Unauthorized,
  type DomainError
} from "@lists-and-things/domain/model/Errors"
import { explain } from "@lists-and-things/mcp/results/ToolErrors"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { Effect } from "effect"
import { expect, it } from "@effect/vitest"

const toldBy = (name: string, error: DomainError): string =>
  Effect.runSync(
    explain(
      allTools.find((tool) => tool.name === name)!,
      {},
      error,
      allTools
    )
  )

it("a failure that no argument is to blame for says whether anything was changed, and what to do", () => {
  expect(toldBy("create_thing", new StorageUnavailable({ outcome: "not-applied" }))).toBe(
    "The storage cannot be reached right now; nothing was changed. Try again in a moment."
  )
  expect(toldBy("create_thing", new StorageUnavailable({ outcome: "unknown" }))).toBe(
    "The storage was lost while it saved: the change may or may not have been made. Read before you repeat it."
  )
  expect(toldBy("create_thing", new StorageUnavailable({ outcome: "not-applied", full: true }))).toBe(
    "The server's disk is full; nothing was changed. Reading goes on; whoever runs the server must make room."
  )
  expect(toldBy("get_list", new Overloaded())).toBe(
    "The server is busy with other large answers; nothing was changed. Try again in a moment."
  )
  expect(toldBy("list_changes", new TooManyWaiting({ limit: 20 }))).toMatch(/^At most 20 requests .* is answered\.$/)
  expect(toldBy("list_changes", new NotReady({ message: "Not yet." }))).toBe("Not yet.")
  expect(toldBy("list_lists", new Unauthorized())).toBe(
    "The API key is not valid any more. Ask the owner for a new one."
  )
})

it("a change that cannot be taken back says so, and that nothing was changed", () => {
  expect(toldBy("undo", new Gone({ message: "Its content is not kept any more" }))).toBe(
    "Its content is not kept any more. Nothing was changed."
  )
  expect(toldBy("list_changes", new Gone({ message: "Begin without a cursor" }))).toBe("Begin without a cursor.")
  expect(toldBy("undo", new Conflict({ message: "It was undone" }))).toBe("It was undone. Nothing was changed.")
})

it("a scope that is missing is named, and so are several", () => {
  expect(toldBy("search", new Forbidden({ scopes: ["search"] }))).toBe(
    "search needs the scope search, which this key does not have. Ask the owner for a key with it."
  )
  expect(toldBy("undo", new Forbidden({ scopes: ["write:lists", "write:things"] }))).toMatch(
    /^undo needs the scopes .*, which this key does not have\. Ask the owner for a key with them\.$/
  )
})
