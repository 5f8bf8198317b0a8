import { repeats } from "@lists-and-things/domain/model/Reminder"
import { dryRunOption, ownerOption, storage, type CommandSpec } from "../Command.ts"

export const reminderCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["remind"],
    operation: "setReminder",
    operationWith: { off: "removeReminder" },
    about: "set the reminder of a thing, or remove it with --off",
    detail:
      "WHEN is a day (today, tomorrow, a weekday, which is the coming one, 2026-11-28, 24 december, or in 3 days), a time (18:30, 6:30pm or at 9, the next one), or both in either order; or minutes or hours from now (in 2 hours). A day alone lasts all day. ISO 8601 is taken as well. How often it comes again (daily, every 2 weeks, every mon and thu, every weekday) stands before or after it, or alone. The thing is named by its short id, its id, or words of its text. It replaces the reminder that the thing has.",
    arguments: [
      { name: "THING", about: "short id or id of the thing, or words of its text" },
      { name: "WHEN", about: "a day, a time, or both, and how often", many: true, optional: true, field: "at" }
    ],
    options: [
      ownerOption,
      {
        name: "repeat",
        value: "UNIT",
        about: "how often it repeats",
        values: repeats.filter((unit) => unit !== "none")
      },
      { name: "every", value: "N", about: "repeat every N units of --repeat" },
      { name: "days", value: "DAYS", about: "weekdays, such as mon,thu; makes it weekly", many: true },
      { name: "repeat-until", value: "WHEN", about: "last day or time; default: no end" },
      { name: "duration-minutes", value: "N", about: "duration; default: the account's" },
      { name: "alert-minutes", value: "N", about: "notice before it; default: the account's" },
      { name: "off", about: "remove the reminder" },
      dryRunOption
    ],
    examples: [
      "lat remind 'water the plants' saturday 9:00 --repeat weekly --every 2",
      "lat remind take out the trash every thursday 7:00",
      "lat remind 0afc tomorrow",
      "lat remind call Ann 18:30 --alert-minutes 10",
      "lat remind take out the bread in 40 minutes",
      "lat remind 0afc --off"
    ],
    load: storage(async () => ({ run: (await import("./Remind.ts")).remind }))
  },
  {
    path: ["reminders"],
    about: "show upcoming reminders, soonest first, then overdue ones",
    detail:
      "At most 50; with --days all of those days, also what repeats and comes again in them; with --overdue the latest 200.",
    options: [
      ownerOption,
      { name: "days", value: "N", about: "only those of N days, today included" },
      { name: "overdue", about: "only overdue ones of open things, latest first" }
    ],
    examples: ["lat reminders", "lat reminders --days 7", "lat reminders --overdue --json | jq -r '.[].text'"],
    load: storage(async () => ({ run: (await import("./Remind.ts")).reminders }))
  }
]
