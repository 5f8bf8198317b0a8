import { monotonicMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Effect } from "effect"
import { open } from "node:fs/promises"
import { devNull } from "node:os"

/** Milliseconds between two checks. */
const checkInterval = 5_000
/** Milliseconds between two log lines about the same shortage. */
const logInterval = 60_000

/** The limit that is reached: that of the process or that of the machine. */
export type Shortage = "EMFILE" | "ENFILE"

const shortageText: Record<Shortage, string> = {
  EMFILE:
    "The server has no file descriptor left (EMFILE): new connections are closed without an answer. Raise its limit (`ulimit -n` before it starts, LimitNOFILE in its systemd unit), or find the client that holds so many connections.",
  ENFILE:
    "The machine has no file descriptor left (ENFILE): new connections are closed without an answer. Raise fs.file-max, or end what holds so many files."
}

const isShortage = (code: unknown): code is Shortage => code === "EMFILE" || code === "ENFILE"

/** Opens and closes a file to find out whether descriptors are left; undefined if they are. */
export const findShortage: Effect.Effect<Shortage | undefined> = Effect.promise(async () => {
  try {
    await (await open(devNull)).close()
    return undefined
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    return isShortage(code) ? code : undefined
  }
})

/**
 * Logs that connections are lost for want of file descriptors: once a minute while that lasts, and once when it is
 * over. Node closes such connections without any event, so this checks every five seconds.
 */
export const watchFileDescriptors = Effect.fnUntraced(function* (
  check: Effect.Effect<Shortage | undefined> = findShortage
) {
  let logged: number | undefined
  const step = Effect.gen(function* () {
    const shortage = yield* check
    const now = yield* monotonicMillis
    if (shortage === undefined) {
      if (logged !== undefined) yield* Effect.logInfo("There are file descriptors again.")
      logged = undefined
    } else if (logged === undefined || now - logged >= logInterval) {
      logged = now
      yield* Effect.logWarning(shortageText[shortage])
    }
  })
  return yield* Effect.forever(Effect.andThen(Effect.sleep(checkInterval), step))
})
