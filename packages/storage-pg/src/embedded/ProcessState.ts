import { readFileSync } from "node:fs"

/** Why a process cannot be sent a signal; undefined where it can. */
const refusalOf = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0)
    return undefined
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : ""
  }
}

/** A zombie process is still listed where process 1 does not reap it, as in containers. */
const hasEnded = (pid: number): boolean => {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Whether a process exists that this user may not send signals to. */
export const isProtected = (pid: number): boolean => refusalOf(pid) === "EPERM"

/** Whether a process has this id, even if it has ended and was not reaped. */
export const isListed = (pid: number): boolean => refusalOf(pid) === undefined || isProtected(pid)

export const isAlive = (pid: number): boolean => isListed(pid) && !hasEnded(pid)
