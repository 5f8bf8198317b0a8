import { describe, expect, it } from "@effect/vitest"
import * as Summaries from "../../src/summaries/OperationSummaries.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import { OperationId } from "../../src/model/Operation.ts"

const thing = (text: string, url = "") => ({ text, url })
const plants = thing("Water the plants")
const december = EpochMillis(Date.UTC(2026, 11, 4, 23))
const none = { fields: [], returning: [] }

const undoes = OperationId.make("019bd000-0000-7000-8000-000000000000")

describe("a summary", () => {
  it("cuts titles and texts at 80 characters with the ellipsis", () => {
    expect(Summaries.shortText("x".repeat(80))).toBe(`“${"x".repeat(80)}”`)
    expect(Summaries.shortText("x".repeat(81))).toBe(`“${"x".repeat(79)}…”`)
    expect(Summaries.shortText("🦊".repeat(10_000))).toBe(`“${"🦊".repeat(79)}…”`)
    expect(Summaries.shortText(`a${" ".repeat(1598)}🦊`).isWellFormed()).toBe(true)
  })

  it("is one line", () => {
    expect(Summaries.shortText(" one\r\n\ttwo\u2028three ")).toBe("“one two three”")
  })

  it("names things by their text, else by their link", () => {
    expect(Summaries.deletedThings([plants])).toBe("Deleted “Water the plants”")
    expect(Summaries.deletedThings([thing(" ", "https://e.example")])).toBe("Deleted “https://e.example”")
    expect(Summaries.deletedThings([thing("")])).toBe("Deleted a thing without text")
    expect(Summaries.deletedThings([plants, plants])).toBe(
      "Deleted 2 things (“Water the plants” and “Water the plants”)"
    )
  })

  it("names the list to which things were added", () => {
    expect(Summaries.addedThings([plants])).toBe("Added “Water the plants”")
    expect(Summaries.addedThings([plants], ["Garden"])).toBe("Added “Water the plants” to “Garden”")
    const many = Array.from({ length: 12 }, () => plants)
    const firstOf12 = "“Water the plants”, “Water the plants”, “Water the plants” and 9 more"
    expect(Summaries.addedThings(many, ["Groceries", "Groceries"])).toBe(
      `Added 12 things (${firstOf12}) to “Groceries”`
    )
    expect(Summaries.addedThings(many, ["Groceries", "Garden"])).toBe(`Added 12 things (${firstOf12}) to 2 lists`)
  })

  it("names the changes of things", () => {
    const changed = (change: Partial<Parameters<typeof Summaries.changedThings>[1]>, things = [plants]) =>
      Summaries.changedThings(things, { ...none, ...change }, "Asia/Tokyo")
    expect(changed({ completed: true })).toBe("Completed “Water the plants”")
    expect(changed({ completed: true, returning: [december] })).toBe(
      "Completed “Water the plants”; it returns on 2026-12-05"
    )
    expect(changed({ canceled: true, returning: [december] }, [plants, plants, plants])).toBe(
      "Canceled 3 things (“Water the plants”, “Water the plants” and “Water the plants”); 1 of them returns"
    )
    expect(changed({ completed: true, returning: [december, december] }, [plants, plants])).toBe(
      "Completed 2 things (“Water the plants” and “Water the plants”); 2 of them return"
    )
    expect(changed({ completed: false, fields: ["tags"] })).toBe("Reopened “Water the plants” and changed its tags")
    expect(changed({ movedTo: "Garden" })).toBe("Moved “Water the plants” to “Garden”")
    expect(changed({ movedTo: "Garden", fields: ["tags", "tabs"] }, [plants, plants])).toBe(
      "Moved 2 things (“Water the plants” and “Water the plants”) to “Garden” and changed their tags and nesting"
    )
    const all = { completed: true, movedTo: "Garden", text: "Water them", fields: ["text"], returning: [december] }
    expect(changed(all)).toBe(
      "Completed “Water the plants”, moved it to “Garden” and changed its text to “Water them”; it returns on 2026-12-05"
    )
    expect(changed({ text: "Water them", fields: ["text"] })).toBe(
      "Changed the text of “Water the plants” to “Water them”"
    )
    expect(changed({ favorited: true })).toBe("Starred “Water the plants”")
    expect(changed({ completed: true, favorited: false, fields: ["tags"] })).toBe(
      "Completed “Water the plants”, unstarred it and changed its tags"
    )
    expect(changed({ fields: ["listRef", "tags", "url"] })).toBe(
      "Changed the sub-list, tags and link of “Water the plants”"
    )
    expect(changed({})).toBe("Changed “Water the plants”")
    expect([0, 1, 2].map((under) => Summaries.nestedThing(plants, under))).toStrictEqual([
      "Changed the nesting of “Water the plants”",
      "Changed the nesting of “Water the plants” and of 1 thing under it",
      "Changed the nesting of “Water the plants” and of 2 things under it"
    ])
  })

  it("names lists and the number of their things", () => {
    expect(Summaries.createdList("Groceries", 0)).toBe("Created the list “Groceries”")
    expect(Summaries.importedList("Groceries", 1)).toBe("Imported the list “Groceries” with 1 thing")
    expect(Summaries.deletedList("Groceries", 14)).toBe("Deleted the list “Groceries” with 14 things")
    expect(Summaries.madeDayList("2026-12-05")).toBe("Made the list of 2026-12-05")
    const before = { title: "Groceries" }
    expect(Summaries.changedList(before, { title: "Food" })).toBe("Renamed the list “Groceries” to “Food”")
    expect(Summaries.changedList(before, { archived: true })).toBe("Archived the list “Groceries”")
    expect(Summaries.changedList(before, { archived: false })).toBe("Unarchived the list “Groceries”")
    expect(Summaries.changedList(before, { emoji: "🥕", sort: "modified" })).toBe(
      "Changed the emoji and sort of the list “Groceries”"
    )
    expect(Summaries.changedList(before, { title: "Food", archived: true, favorited: true })).toBe(
      "Renamed the list “Groceries” to “Food”, archived it and starred it"
    )
  })

  it("names reminders, places, settings and restored content", () => {
    expect(Summaries.setReminder(plants, "every day at 09:00, UTC")).toBe(
      "Set the reminder of “Water the plants”: every day at 09:00, UTC"
    )
    expect(Summaries.removedReminder(plants)).toBe("Removed the reminder of “Water the plants”")
    expect(Summaries.savedPlace("Home", true)).toBe("Saved the place “Home”")
    expect(Summaries.savedPlace("Home", false)).toBe("Changed the place “Home”")
    expect(Summaries.deletedPlace("Home")).toBe("Deleted the place “Home”")
    expect(Summaries.changedSettings(["timezone", "defaultListSort"], 2)).toBe(
      "Changed the timezone and default list sort of the account, which moved 2 reminders"
    )
    expect(Summaries.changedSettings(["allDayAt", "repeatMovesToDay"], 0)).toBe(
      "Changed the time of all-day reminders and handling of repeating things of the account"
    )
    expect(Summaries.restoredContent({ lists: 1, things: 20, reminders: 0 })).toBe(
      "Restored 1 list, 20 things and 0 reminders"
    )
  })

  it("of an undo names what was undone, and of its undo what was redone", () => {
    const undo = Summaries.undoSummary({ summary: "Deleted “a”", undoes: null })
    const redo = Summaries.undoSummary({ summary: undo, undoes })
    expect([undo, redo]).toStrictEqual(["Undid: Deleted “a”", "Redid: Deleted “a”"])
    expect(Summaries.undoSummary({ summary: redo, undoes })).toBe(undo)
    expect(Summaries.undoSummary({ summary: "Undid: a note", undoes: null })).toBe("Undid: Undid: a note")
    expect(Summaries.undoOf({ summary: undo, undoes })).toStrictEqual({ verb: "Redo", what: "Deleted “a”" })
    expect(Summaries.undoOf({ summary: redo, undoes })).toStrictEqual({ verb: "Undo", what: "Deleted “a”" })
  })

  it("of an undo of several operations is redone and undone like that of a single one", () => {
    const undo = Summaries.undoneAll(12, "Robot")
    const redo = Summaries.undoSummary({ summary: undo, undoes })
    expect([undo, redo]).toStrictEqual(["Undid 12 operations of “Robot”", "Redid 12 operations of “Robot”"])
    expect(Summaries.undoSummary({ summary: redo, undoes })).toBe(undo)
    expect(Summaries.undoOf({ summary: undo, undoes })).toStrictEqual({
      verb: "Redo",
      what: "12 operations of “Robot”"
    })
  })
})
