import { expect, it } from "@effect/vitest"
import { doneIn, givenServer, signedIn, undoOn } from "./Given.ts"

const server = givenServer()

it("undoing a new list deletes it and leads to the other lists, and the redo restores it", async () => {
  const person = await signedIn(server())
  for (const [action, field, what] of [
    ["/lists/new", "title", "Created the list “Errands”."],
    ["/lists/import", "markdown", "Imported the list “Errands”."]
  ] as const) {
    const made = await person.send("/lists", action, { [field]: "# Errands" })
    const undone = await undoOn(person, made.page)
    expect([undone.status, doneIn(undone)]).toStrictEqual([200, `Undid: ${what}`])
    expect(undone.text).toContain("<h1>Lists</h1>")
    const redone = await undoOn(person, undone)
    expect(doneIn(redone)).toBe(`Redid: ${what}`)
    expect(redone.text).toContain(">Errands</a>")
  }
})
