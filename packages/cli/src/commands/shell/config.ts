import type { LocalRun } from "../../Command.ts"
import { table } from "../../Table.ts"

export const run: LocalRun = async ({ terminal }, installation) => {
  const settings = await installation.settings()
  return {
    json: { settings },
    text: table(
      terminal,
      ["NAME", "VALUE", "FROM", "MEANING"],
      settings.map(({ meaning, name, source, value }) => [name, value ?? "-", source, meaning])
    )
  }
}
