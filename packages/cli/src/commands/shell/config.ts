import type { LocalRun } from "../../Command.ts"

export const run: LocalRun = async (_input, installation) => {
  const settings = await installation.settings()
  return {
    json: { settings },
    text: {
      heads: ["NAME", "VALUE", "FROM", "MEANING"],
      rows: settings.map(({ meaning, name, source, value }) => [name, value ?? "-", source, meaning])
    }
  }
}
