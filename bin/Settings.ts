import { Config, Effect, Option, Redacted, Schema } from "effect"
import { logLevelNamed, logLevelNames } from "@lists-and-things/domain/text/LogLevelName"
import { serverConfig, trustedProxies } from "@lists-and-things/http/ServerConfig"
import { defaultAnswerBytes } from "@lists-and-things/domain/size/AnswerBudget"
import { defaultLimits, type Limits } from "@lists-and-things/domain/size/SizeLimits"
import { defaultDataFolder } from "./DefaultDataFolder.ts"

/** One environment variable, as `lat config` shows it. */
export interface Setting {
  readonly name: string
  /** The value without secrets; null when there is none. */
  readonly value: string | null
  readonly source: "environment" | "default"
  readonly meaning: string
}

/** An empty variable counts as not set. */
const text = (name: string) =>
  Config.option(Config.String(name)).pipe(Config.map(Option.filter((value) => value.trim() !== "")))

const secret = (name: string) =>
  text(name).pipe(Config.map(Option.map((value) => Redacted.make(value, { label: name }))))

export const dataDir = text("LAT_DATA_DIR").pipe(Config.map(Option.getOrElse(() => defaultDataFolder())))

export const databaseUrl = secret("DATABASE_URL").pipe(Config.map(Option.getOrUndefined))

export const apiKey = secret("LAT_API_KEY").pipe(Config.map(Option.getOrUndefined))

const adapters = ["postgres", "memory"] as const

export const adapter = Config.Literals(adapters, "LAT_STORAGE").pipe(Config.withDefault("postgres"))

const LevelName = Schema.String.check(
  Schema.makeFilter((name: string) => logLevelNamed(name) !== undefined, { expected: logLevelNames })
)

export const logLevel = Config.schema(LevelName, "LAT_LOG").pipe(
  Config.map((name) => logLevelNamed(name)!),
  Config.withDefault("Info" as const)
)

/** An integer of 1 or more. */
const count = (name: string, otherwise: number): Config.Config<number> =>
  Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })), name).pipe(
    Config.withDefault(otherwise)
  )

/** Bytes that writes must leave free on the disk of the embedded PostgreSQL; 0 disables the check. */
export const minFreeBytes = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  "LAT_MIN_FREE_BYTES"
).pipe(Config.withDefault(256 * 1024 * 1024))

const { account, list } = defaultLimits

/** Maximum sizes of a list and of an account (docs/decisions.md#caps). */
export const sizeLimits: Config.Config<Limits> = Config.all({
  list: Config.all({
    things: count("LAT_MAX_LIST_THINGS", list.things),
    bytes: count("LAT_MAX_LIST_BYTES", list.bytes)
  }),
  account: Config.all({
    things: count("LAT_MAX_ACCOUNT_THINGS", account.things),
    bytes: count("LAT_MAX_ACCOUNT_BYTES", account.bytes)
  })
})

/** Maximum memory of all answers in progress, in bytes. */
export const answerBytes: Config.Config<number> = count("LAT_MAX_ANSWER_BYTES", defaultAnswerBytes)

/** The URL without its password. */
const withoutPassword = (value: Redacted.Redacted): string => {
  const url = URL.parse(Redacted.value(value))
  if (url === null) return "(not a URL)"
  if (url.password !== "") url.password = "***"
  for (const name of ["password", "sslpassword"]) if (url.searchParams.has(name)) url.searchParams.set(name, "***")
  return url.href
}

const setting = <A>(
  name: string,
  meaning: string,
  value: Config.Config<A>,
  show: (value: A) => string | null = String
): Effect.Effect<Setting, Config.ConfigError> =>
  Effect.gen(function* () {
    const given = yield* text(name)
    const source = Option.isSome(given) ? "environment" : "default"
    return { name, value: show(yield* value), source, meaning }
  })

const shown = (value: Redacted.Redacted | undefined): string | null => (value === undefined ? null : "(hidden)")

/** Every setting in force and its source. */
export const settings: Effect.Effect<ReadonlyArray<Setting>, Config.ConfigError> = Effect.all([
  setting("HOST", "Address the HTTP host listens on", serverConfig, ({ host }) => host),
  setting("PORT", "Port the HTTP host listens on", serverConfig, ({ port }) => String(port)),
  setting("PUBLIC_URL", "Address that clients and links use", serverConfig, ({ publicUrl }) => publicUrl),
  setting(
    "LAT_TRUSTED_PROXIES",
    "Proxies (addresses and ranges, separated by commas) whose X-Forwarded-For is believed",
    trustedProxies,
    (ranges) => (ranges.length === 0 ? null : ranges.map(([first, bits]) => `${first}/${bits}`).join(","))
  ),
  setting("DATABASE_URL", "A PostgreSQL to use, 15 or newer; unset: the embedded one", databaseUrl, (url) =>
    url === undefined ? null : withoutPassword(url)
  ),
  setting("LAT_DATA_DIR", "Where the embedded PostgreSQL keeps its data", dataDir),
  setting("LAT_STORAGE", "postgres, or memory, which keeps nothing", adapter),
  setting("LAT_API_KEY", "The key that lat-mcp over stdio acts with", apiKey, shown),
  setting("LAT_LOG", `Log level: ${logLevelNames}`, logLevel, (level) => level.toLowerCase()),
  setting(
    "LAT_GEOCODER_URL",
    "Looks up addresses of places (Nominatim's search format)",
    text("LAT_GEOCODER_URL"),
    (url) => Option.getOrNull(url)
  ),
  setting("LAT_MIN_FREE_BYTES", "Bytes that writes leave free on the disk of the embedded PostgreSQL", minFreeBytes),
  setting("LAT_MAX_LIST_THINGS", "Things that a list may hold", sizeLimits, ({ list }) => String(list.things)),
  setting("LAT_MAX_LIST_BYTES", "Bytes of texts, notes and addresses in a list", sizeLimits, ({ list }) =>
    String(list.bytes)
  ),
  setting("LAT_MAX_ACCOUNT_THINGS", "Things that an account may hold", sizeLimits, ({ account }) =>
    String(account.things)
  ),
  setting("LAT_MAX_ACCOUNT_BYTES", "Bytes of texts, notes and addresses in an account", sizeLimits, ({ account }) =>
    String(account.bytes)
  ),
  setting("LAT_MAX_ANSWER_BYTES", "Bytes of memory that the answers under way may take", answerBytes)
])
