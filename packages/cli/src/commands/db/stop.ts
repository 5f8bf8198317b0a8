import type { LocalRun } from "../../Command.ts"
import { Failure } from "../../Failure.ts"

export const run: LocalRun = async (_input, installation) => {
  if (installation.environment["DATABASE_URL"]) {
    throw new Failure("DATABASE_URL is set: that server is not ours to stop.", "Stop it where it is run.")
  }
  const stopped = await installation.stopEmbedded()
  return { json: { stopped }, text: stopped ? "The embedded PostgreSQL is stopped." : "It was not running." }
}
