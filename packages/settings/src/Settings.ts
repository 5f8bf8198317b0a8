import { defaultAnswerBytes } from "@lists-and-things/domain/size/AnswerBudget"
import { defaultRetention, type Retention } from "@lists-and-things/domain/history/HistoryRetention"
import { defaultLimits, type Limits } from "@lists-and-things/domain/size/SizeLimits"
import { nearest } from "@lists-and-things/domain/text/Nearest"
import type { Range } from "@lists-and-things/web/ClientAddress"
import { Config, Effect, type LogLevel, Option } from "effect"
import { checkCollector, unusedOfCollector } from "./Collector.ts"
import { defaultDataFolder } from "./DefaultDataFolder.ts"
import * as Kinds from "./Kinds.ts"
import { logLevelNamed, logLevelNames } from "./LogLevelName.ts"
import { type AnySetting, everyProgram, type SettingInForce, type Program, setting } from "./Setting.ts"

const servers: ReadonlyArray<Program> = ["lat-http", "lat-mcp"]
const unset = { default: Config.succeed(undefined), otherwise: "unset" }

export const host = setting({
  name: "HOST",
  meaning: "Address that the server listens on",
  programs: servers,
  kind: Kinds.hostName,
  example: "0.0.0.0",
  default: Config.succeed("127.0.0.1"),
  otherwise: "127.0.0.1"
})

export const port = setting({
  name: "PORT",
  meaning: "Port that the server listens on; 0 takes a free one",
  programs: servers,
  kind: Kinds.wholeNumber(0, 65_535),
  example: "3001",
  default: Config.succeed(3000),
  otherwise: "3000"
})

export const workers = setting<number, number>({
  name: "LAT_WORKERS",
  meaning: "Processes that share the port and the work: a number, or auto for one per core",
  programs: ["lat-http"],
  kind: Kinds.workers,
  example: "auto",
  default: Config.succeed(1),
  otherwise: "1"
})

const localUrl = (port: number): string => `http://localhost:${port}`

/** site_url (docs/decisions.md#names), without a trailing slash. */
export const publicUrl = setting({
  name: "PUBLIC_URL",
  meaning: "Address that people and programs use; also the issuer of sign-in tokens",
  programs: everyProgram,
  kind: Kinds.siteUrl,
  example: "https://lists.example.com",
  default: Config.map(port.config, localUrl),
  otherwise: "http://localhost:$PORT"
})

/** site_url of a server that has bound this port. */
export const siteUrlAt = (port: number): Config.Config<string> =>
  Config.map(publicUrl.given, (url) => Option.getOrElse(url, () => localUrl(port)))

export const trustedProxies = setting<ReadonlyArray<Range>, ReadonlyArray<Range>>({
  name: "LAT_TRUSTED_PROXIES",
  meaning: "Proxies (addresses and ranges, separated by commas) whose X-Forwarded-For is believed",
  programs: servers,
  kind: Kinds.ranges,
  example: "10.0.0.0/8,::1",
  default: Config.succeed([]),
  otherwise: "unset"
})

export const databaseUrl = setting({
  name: "DATABASE_URL",
  meaning:
    "A PostgreSQL, 15 or newer, to use in place of the embedded one; several hosts, of which one accepts writes, are separated by commas",
  programs: everyProgram,
  kind: Kinds.databaseUrl,
  example: "postgres://user:password@localhost:5432/lists",
  ...unset
})

export const databasePooler = setting({
  name: "LAT_DATABASE_POOLER",
  meaning: "transaction, where DATABASE_URL is that of a pooler such as PgBouncer in transaction mode",
  programs: everyProgram,
  kind: Kinds.oneOf(["transaction"]),
  example: "transaction",
  ...unset
})

export const dataDir = setting({
  name: "LAT_DATA_DIR",
  meaning: "Where the embedded PostgreSQL keeps its data",
  programs: everyProgram,
  kind: Kinds.path,
  example: "/srv/lists-and-things",
  default: Config.map(Config.succeed(undefined), defaultDataFolder),
  otherwise: "the user's data folder, /var/lib/lists-and-things as root"
})

export const storage = setting({
  name: "LAT_STORAGE",
  meaning: "postgres, or memory, which keeps nothing, for trying out",
  programs: everyProgram,
  kind: Kinds.oneOf(["postgres", "memory"]),
  example: "memory",
  default: Config.succeed("postgres" as const),
  otherwise: "postgres"
})

export const apiKey = setting({
  name: "LAT_API_KEY",
  meaning: "The key that lat-mcp over stdio acts with",
  programs: ["lat-mcp"],
  kind: Kinds.secret,
  example: "lat_…",
  ...unset
})

export const accountName = setting({
  name: "LAT_ACCOUNT",
  meaning: "The account (id or email) that lat works in, and lat-mcp over stdio without a key; --account comes first",
  programs: ["lat-mcp", "lat"],
  kind: Kinds.accountName,
  example: "ann@example.com",
  ...unset
})

/** `lat` logs only errors unless a level is given. */
export const logLevel = setting<LogLevel.LogLevel, LogLevel.LogLevel>({
  name: "LAT_LOG",
  meaning: `Log level: ${logLevelNames}`,
  programs: everyProgram,
  kind: { wanted: logLevelNames, read: logLevelNamed, show: (level) => level.toLowerCase() },
  example: "debug",
  default: Config.succeed("Info"),
  otherwise: "info; error for lat"
})

export const slowMillis = setting<number, number>({
  name: "LAT_SLOW_MS",
  meaning: "Requests and statements that take this many milliseconds or more are logged as slow; 0 for none",
  programs: everyProgram,
  kind: Kinds.wholeNumber(0),
  example: "250",
  default: Config.succeed(1_000),
  otherwise: "1000"
})

export const metricsPort = setting({
  name: "LAT_METRICS_PORT",
  meaning: "Port for /metrics alone, on HOST, without a token; 0 takes a free one",
  programs: ["lat-http"],
  kind: Kinds.wholeNumber(0, 65_535),
  example: "9464",
  ...unset
})

export const metricsToken = setting({
  name: "LAT_METRICS_TOKEN",
  meaning: "Token with which /metrics is answered on the main port",
  programs: ["lat-http"],
  kind: Kinds.bearerToken,
  example: "a-long-random-text",
  ...unset
})

/** The exporter itself reads further variables of OpenTelemetry, such as those for headers. */
export const otlpEndpoint = setting({
  name: "OTEL_EXPORTER_OTLP_ENDPOINT",
  meaning: "Where traces and metrics are sent by OTLP over HTTP",
  programs: servers,
  kind: Kinds.webUrl,
  example: "http://127.0.0.1:4318",
  ...unset
})

export const geocoderUrl = setting({
  name: "LAT_GEOCODER_URL",
  meaning: "A geocoder in Nominatim's search format, for the addresses of places",
  programs: everyProgram,
  kind: Kinds.webUrl,
  example: "https://nominatim.example.com/search",
  ...unset
})

export const webhookAllow = setting<ReadonlyArray<string>, ReadonlyArray<string>>({
  name: "LAT_WEBHOOK_ALLOW",
  meaning: "Addresses, ranges and host names that webhooks may go to besides public ones over https",
  programs: everyProgram,
  kind: Kinds.hosts,
  example: "192.168.0.0/16,homeassistant.local",
  default: Config.succeed([]),
  otherwise: "unset"
})

export const webhookDelivery = setting({
  name: "LAT_WEBHOOK_DELIVERY",
  meaning: "on, or off for a server that leaves delivering to webhooks to others",
  programs: ["lat-http"],
  kind: Kinds.oneOf(["on", "off"]),
  example: "off",
  default: Config.succeed("on" as const),
  otherwise: "on"
})

export const clientDocuments = setting({
  name: "LAT_CLIENT_DOCUMENTS",
  meaning:
    "on, or off where the server cannot reach the internet: programs that sign in then register themselves, in place of naming a document",
  programs: ["lat-http"],
  kind: Kinds.oneOf(["on", "off"]),
  example: "off",
  default: Config.succeed("on" as const),
  otherwise: "on"
})

const inMebibytes = (bytes: number): string => `${bytes} (${bytes / 1024 ** 2} MiB)`

const count = (name: string, meaning: string, otherwise: number) =>
  setting({
    name,
    meaning,
    programs: everyProgram,
    kind: Kinds.wholeNumber(1),
    example: String(otherwise),
    default: Config.succeed(otherwise),
    otherwise: name.endsWith("_BYTES") ? inMebibytes(otherwise) : String(otherwise)
  })

const { account, list } = defaultLimits
const stored = "Bytes of texts, notes, tags and addresses that"
const listThings = count("LAT_MAX_LIST_THINGS", "Things that a list may hold", list.things)
const listBytes = count("LAT_MAX_LIST_BYTES", `${stored} a list may hold`, list.bytes)
const accountThings = count("LAT_MAX_ACCOUNT_THINGS", "Things that an account may hold", account.things)
const accountBytes = count("LAT_MAX_ACCOUNT_BYTES", `${stored} an account may hold`, account.bytes)

/** Maximum sizes of a list and of an account (docs/decisions.md#caps). */
export const sizeLimits: Config.Config<Limits> = Config.all({
  list: Config.all({ things: listThings.config, bytes: listBytes.config }),
  account: Config.all({ things: accountThings.config, bytes: accountBytes.config })
})

/** 2,700 years: more could put the time of the oldest operation outside the range of PostgreSQL. */
const maxDays = 1_000_000

const historyDays = setting({
  name: "LAT_HISTORY_DAYS",
  meaning: "Days that an operation can be looked up and undone; 0 keeps operations a day and undoes none",
  programs: everyProgram,
  kind: Kinds.wholeNumber(0, maxDays),
  example: "90",
  default: Config.succeed(defaultRetention.days),
  otherwise: String(defaultRetention.days)
})

const historyBytes = setting({
  name: "LAT_HISTORY_BYTES",
  meaning: "Bytes of former content that the history of an account may hold",
  programs: everyProgram,
  kind: Kinds.wholeNumber(0),
  example: String(defaultRetention.bytes),
  default: Config.map(accountBytes.config, (bytes) => 2 * bytes),
  otherwise: "twice LAT_MAX_ACCOUNT_BYTES"
})

/** How much history an account keeps (docs/adr/0060-history.md). */
export const historyRetention: Config.Config<Retention> = Config.all({
  days: historyDays.config,
  bytes: historyBytes.config
})

const minFree = 256 * 1024 ** 2

export const minFreeBytes = setting({
  name: "LAT_MIN_FREE_BYTES",
  meaning: "Bytes that writes leave free on the disk of the embedded PostgreSQL; 0 for none",
  programs: everyProgram,
  kind: Kinds.wholeNumber(0),
  example: String(minFree),
  default: Config.succeed(minFree),
  otherwise: inMebibytes(minFree)
})

export const answerBytes = {
  ...count("LAT_MAX_ANSWER_BYTES", "Bytes of memory that the answers under way may take", defaultAnswerBytes),
  programs: servers
}

/** Every setting of every program. */
export const settings: ReadonlyArray<AnySetting> = [
  host,
  port,
  publicUrl,
  workers,
  trustedProxies,
  databaseUrl,
  databasePooler,
  dataDir,
  storage,
  accountName,
  apiKey,
  logLevel,
  slowMillis,
  metricsPort,
  metricsToken,
  otlpEndpoint,
  geocoderUrl,
  webhookAllow,
  webhookDelivery,
  clientDocuments,
  minFreeBytes,
  listThings,
  listBytes,
  accountThings,
  accountBytes,
  historyDays,
  historyBytes,
  answerBytes
]

/** Fails with the first invalid variable among those that a program reads, even if another setting leaves it unused. */
export const checkSettings = (program: Program): Effect.Effect<void, Config.ConfigError> =>
  Effect.gen(function* () {
    for (const { inForce, programs } of settings) if (programs.includes(program)) yield* inForce
    const isCollected = otlpEndpoint.programs.includes(program) && Option.isSome(yield* otlpEndpoint.given)
    if (isCollected) yield* checkCollector
  })

type Environment = Readonly<Record<string, string | undefined>>

/**
 * One line for each variable whose name begins with `LAT_` but is not a setting: if it was misspelled, the default is
 * silently in force; and for each variable of OpenTelemetry that has no effect here. Blank variables count as not set.
 */
export const unknownSettings = (environment: Environment): ReadonlyArray<string> => {
  const known = settings.map(({ name }) => name)
  const unknown = Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith("LAT_") || known.includes(name) || (value ?? "").trim() === "") return []
    const meant = known.find((each) => name === `LAT_${each}` || name.startsWith(`${each}_`)) ?? nearest(name, known)
    return [`${name} is no setting and has no effect${meant === undefined ? "" : `; did you mean ${meant}?`}`]
  })
  return [...unknown, ...unusedOfCollector(environment)]
}

/** Logs the lines of `unknownSettings` as warnings. */
export const warnOfUnknownSettings = (environment: Environment): Effect.Effect<void> =>
  Effect.forEach(unknownSettings(environment), (line) => Effect.logWarning(line), { discard: true })

/** The value of every setting, and its source. */
export const settingsInForce = (): Promise<ReadonlyArray<SettingInForce>> =>
  Effect.runPromise(Effect.forEach(settings, ({ inForce }) => inForce))
