import { userInfo } from "node:os"
import { Operator } from "@lists-and-things/domain/model/CurrentOperation"
import type { Actor } from "@lists-and-things/domain/model/Operation"
import { Layer } from "effect"

/**
 * The name of the user, or the user id: Node throws for a user without an entry in the system's table, as in a
 * container.
 */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? ""}`.trim()
  }
}

/** The operator is the system user that the process runs as. */
export const layer = Layer.sync(Operator, (): Actor => {
  const name = userName()
  return { type: "operator", id: name, name }
})
