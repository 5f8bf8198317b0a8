import type { LocalRun } from "../../Command.ts"
import type { Terminal } from "../../Terminal.ts"
import type { Check } from "./Check.ts"
import { databaseChecks } from "./DatabaseChecks.ts"
import { machineChecks } from "./MachineChecks.ts"

export const run: LocalRun = async ({ progress, terminal }, installation) => {
  progress.begin("Checking")
  const { address, checks: ofDatabase } = await databaseChecks(installation)
  const checks = [...(await machineChecks(installation, address)), ...ofDatabase]
  const ok = checks.every((check) => check.state !== "problem")
  return { json: { ok, checks }, text: checks.map((check) => line(terminal, check)).join("\n"), failed: !ok }
}

const line = (terminal: Terminal, { advice, found, name, state }: Check): string => {
  const mark = { ok: "ok     ", warning: "warning", problem: "PROBLEM" }[state]
  const color = ({ ok: "green", warning: "yellow", problem: "red" } as const)[state]
  const first = `${terminal.paint(color, mark)}  ${name.padEnd(12)}  ${found}`
  return advice === null ? first : `${first}\n         ${" ".repeat(12)}  -> ${advice}`
}
