import { once } from "node:events"
import { constants } from "node:fs"
import { access, stat, statfs } from "node:fs/promises"
import { get, type IncomingMessage } from "node:http"
import { createServer } from "node:net"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { text } from "node:stream/consumers"
import type { ServerAddress } from "@lists-and-things/domain/servers/ServerAddress"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import type { SettingInForce } from "@lists-and-things/settings/Setting"
import { host, port, unknownSettings } from "@lists-and-things/settings/Settings"
import { reasonOf } from "../../Failure.ts"
import { type EmbeddedServer, type Installation, usesEmbedded } from "../../Installation.ts"
import { type Check, fine, problem, warning } from "./Check.ts"

/**
 * Checks of this machine. They run after those of the database, which create the data folder if possible. `address` is
 * where a server runs, if the database knows.
 */
export const machineChecks = async (
  installation: Installation,
  address: ServerAddress | undefined
): Promise<ReadonlyArray<Check>> => {
  const inForce = await installation.settings()
  const settings = new Map(inForce.map(({ name, value }) => [name, value]))
  return [
    nodeCheck(process.versions.node),
    zoneCheck(),
    ...unknownSettings(installation.environment).map((found) =>
      warning("settings", found, `'${lat("config")}' shows every setting.`)
    ),
    ...(usesEmbedded(inForce)
      ? await folderChecks(settings.get("LAT_DATA_DIR") ?? "", Number(settings.get("LAT_MIN_FREE_BYTES")), installation)
      : []),
    await portCheck(listening(inForce, address))
  ]
}

interface Listening {
  readonly host: string
  readonly port: number
  /** Whether a running server on this machine reported this address. */
  readonly isReported: boolean
}

/**
 * Where a running server on this machine listens. Otherwise, or if the environment sets a port, where a server would
 * listen.
 */
const listening = (settings: ReadonlyArray<SettingInForce>, address: ServerAddress | undefined): Listening => {
  const named = (name: string) => settings.find((each) => each.name === name)
  if (address?._tag === "Running" && address.server.machine === hostname() && named("PORT")?.source === "default")
    return { host: address.server.host, port: address.server.port, isReported: true }
  return {
    host: named("HOST")?.value ?? host.otherwise,
    port: Number(named("PORT")?.value ?? port.otherwise),
    isReported: false
  }
}

/** 22.18 is the first version that runs TypeScript without a flag. */
export const nodeCheck = (version: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 18)
    ? fine("node", `version ${version}`)
    : problem(
        "node",
        `version ${version}`,
        "22.18 or newer is needed: 'node bin/install.mjs' installs one into the clone."
      )
}

const zoneCheck = (): Check => {
  const zones = Intl.supportedValuesOf("timeZone").length
  const offset = new Intl.DateTimeFormat("en", { timeZone: "Europe/Berlin", hour: "2-digit", hourCycle: "h23" })
  const july = offset.format(Date.UTC(2026, 6, 1, 12))
  const found = `${zones} zones, data of ${process.versions["tz"] ?? "unknown date"}`
  return zones > 300 && july === "14"
    ? fine("time zones", found)
    : problem("time zones", found, "This Node carries too little time zone data: use one built with full ICU.")
}

const folderChecks = async (
  folder: string,
  reserve: number,
  installation: Installation
): Promise<ReadonlyArray<Check>> => {
  const existing = await nearestFolder(folder)
  const { bavail, bsize } = await statfs(existing)
  const free = Number(bavail) * Number(bsize)
  return [await ownerCheck(folder, existing, installation), diskCheck(existing, free, reserve)]
}

/** The folder itself, or its nearest ancestor that exists. */
const nearestFolder = async (folder: string): Promise<string> => {
  const found = await stat(folder).catch(() => undefined)
  return found?.isDirectory() === true || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

/** The path at or above `folder` that exists and is not a folder; undefined if there is none below `existing`. */
const fileInTheWay = async (folder: string, existing: string): Promise<string | undefined> => {
  if (folder === existing) return undefined
  const found = await stat(folder).catch(() => undefined)
  return found === undefined ? fileInTheWay(dirname(folder), existing) : folder
}

const ownerCheck = async (folder: string, existing: string, installation: Installation): Promise<Check> => {
  const refusal = await access(existing, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code
  )
  const file = await fileInTheWay(folder, existing)
  if (file !== undefined) return problem("data folder", `${file} is no folder`, "Set LAT_DATA_DIR to a folder.")
  const { uid } = await stat(existing)
  if (refusal === "EROFS")
    return problem(
      "data folder",
      `${folder} lies on a file system that is mounted read-only`,
      "Mount it so that it can be written to (after errors of a disk a system mounts it read-only: see its log), or set LAT_DATA_DIR to another folder."
    )
  if (refusal !== undefined) {
    return folder === existing
      ? problem(
          "data folder",
          `${folder} belongs to user ${uid} and cannot be written to`,
          "Give it to the user who runs this, or set LAT_DATA_DIR to another folder."
        )
      : problem(
          "data folder",
          `${folder} is not there or cannot be seen, and nothing can be made in ${existing}`,
          "Have it made as root and given to the user who runs this, or set LAT_DATA_DIR to another folder."
        )
  }
  if (folder !== existing)
    return problem(
      "data folder",
      `${folder} is not there and cannot be made: the check of the database says why`,
      "Set LAT_DATA_DIR to another folder."
    )
  return installation.embedded().then(
    (status) => usableFolder(folder, status),
    (error: unknown) => problem("data folder", reasonOf(error), "Correct that, or set LAT_DATA_DIR to another folder.")
  )
}

const usableFolder = (folder: string, { created, running, user }: EmbeddedServer): Check => {
  const as = user === null ? "" : `, the server runs as ${user}`
  const state = running ? "in use" : created ? "the server is stopped" : "no data yet"
  return fine("data folder", `${folder} (${state}${as})`)
}

const mebibyte = 1_048_576

export const diskCheck = (folder: string, free: number, reserve = 0): Check => {
  const found = `${inFigures(Math.floor(free / mebibyte))} MiB free at ${folder}`
  if (free < reserve) {
    return problem(
      "disk",
      found,
      "Writes are refused below LAT_MIN_FREE_BYTES: make room, they are accepted again then."
    )
  }
  if (free < 100 * mebibyte) return problem("disk", found, "PostgreSQL stops when the disk is full: make room now.")
  if (free < 1024 * mebibyte) return warning("disk", found, "Less than 1 GiB is left: make room soon.")
  return fine("disk", found)
}

/** `within` is how many milliseconds an answer may take. */
export const portCheck = async ({ host, isReported, port }: Listening, within = 5_000): Promise<Check> => {
  if (port === 0) return fine("port", `a free one on ${host} is taken at each start`)
  const error = await listenError(host, port)
  if (error === undefined && isReported) {
    const found = `${port} on ${host} is free, where a server has just said that it runs`
    return warning("port", found, "It may have died: start it again.")
  }
  if (error === undefined) return fine("port", `${port} on ${host} is free`)
  if (error !== "EADDRINUSE") {
    return problem("port", `${port} on ${host} cannot be listened on (${error})`, "Set HOST and PORT to others.")
  }
  const listener = await listenerAt(host, port, within)
  if (listener === "ours") return fine("port", `${port} on ${host}: the server is running`)
  return listener === "other"
    ? warning("port", `${port} on ${host} is taken by another program`, "Set PORT to a free one, such as 3001.")
    : warning(
        "port",
        `${port} on ${host} is taken, and who listens there gives no answer`,
        "Try again: a busy server answers later. Where it is another program, set PORT to a free one, such as 3001."
      )
}

const listenError = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })

/** Who listens there; `silent` where no answer comes in time. */
const listenerAt = async (host: string, port: number, within: number): Promise<"ours" | "other" | "silent"> => {
  const own = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  const signal = AbortSignal.timeout(within)
  try {
    // The default agent would use a proxy that the environment names.
    const options = { host: own, port, path: "/llms.txt", agent: false, signal }
    const [answer] = (await once(get(options), "response")) as [IncomingMessage]
    return answer.statusCode === 200 && (await text(answer)).includes("Lists and Things") ? "ours" : "other"
  } catch {
    return signal.aborted ? "silent" : "other"
  }
}
