import type { AccountJson } from "@lists-and-things/domain/json/AccountJson"
import { facts } from "../../Output.ts"
import type { Terminal } from "../../Terminal.ts"

export const accountText = (terminal: Terminal, account: AccountJson): string =>
  facts(
    terminal,
    Object.entries(account).map(([name, value]) => [name, value === "" ? "-" : String(value)])
  )
