import { userInfo } from "node:os"
import { percentDecoded } from "@lists-and-things/domain/text/Urls"
import { Redacted, Result } from "effect"

/** Where one server of the database listens. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The path of the Unix socket, if the address is one. */
  readonly path: string | undefined
}

/** A URL of a database, as libpq reads it. */
export interface DatabaseUrl {
  /** In the order in which they are tried; at least one. */
  readonly addresses: readonly [Address, ...ReadonlyArray<Address>]
  readonly database: string
  /** The URL of the first address alone, for the driver. */
  readonly driverUrl: Redacted.Redacted<string>
  /** Whether the server's certificate must be valid for the host that is connected to. */
  readonly verifiesHost: boolean
}

const shape = "a PostgreSQL URL"
/** The expected form, for a URL whose user or password contains unescaped reserved characters. */
const encodedShape = "a PostgreSQL URL, with %40 for @, %2F for /, %25 for % and so on in its user and password"

/** `postgres://`, user and password, hosts, and the rest, which is linear since no part can be two of them. */
const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([/?#].*)?$/

/** The host and port of `host`, `host:port`, `[address]` and `[address]:port`. */
const authority = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d+))?$/

const portOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return 5432
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

const addressAt = (host: string, port: number): Address => ({
  host: host === "" ? "localhost" : host,
  port,
  path: host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : undefined
})

/** A port for each host, or one for all. */
const pairs = (hosts: ReadonlyArray<string>, ports: ReadonlyArray<string>) => {
  if (ports.length > 1 && ports.length !== hosts.length) return undefined
  const addresses: Array<Address> = []
  for (const [at, host] of hosts.entries()) {
    const port = portOf(ports.length === 1 ? ports[0] : ports[at])
    if (port === undefined) return undefined
    addresses.push(addressAt(host, port))
  }
  return addresses
}

const listed = (text: string) => {
  const entries = text.split(",").map((entry) => authority.exec(entry))
  const hosts = entries.map((entry) => (entry === null ? undefined : percentDecoded(entry[1]!.replace(/^\[|\]$/g, ""))))
  if (!hosts.every((host) => host !== undefined)) return undefined
  return { hosts, ports: entries.map((entry) => entry?.[2] ?? "") }
}

/** Why a text is not a valid URL. If it begins like one, its password most likely contains a reserved character. */
const malformed = (text: string): string => (/^postgres(?:ql)?:\/\//.test(text) ? encodedShape : shape)

/** Values of `target_session_attrs` under which a server that accepts writes is taken. */
const writable = new Set(["any", "read-write", "primary"])

const tlsModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** The name of the user whose process this is; undefined for one that the system has no name for. */
export const systemUser = (): string | undefined => {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

const withHost = (scheme: string, user: string, address: Address, rest: URL): string => {
  const host = address.host.includes(":") ? `[${address.host}]` : encodeURIComponent(address.host)
  const authority = address.path === undefined ? `${host}:${address.port}` : "localhost"
  const url = new URL(`${scheme}${user}${authority}${rest.pathname}`)
  for (const [name, value] of rest.searchParams)
    if (name !== "host" && name !== "port") url.searchParams.append(name, value)
  if (address.path !== undefined) {
    url.searchParams.set("host", address.host)
    url.searchParams.set("port", String(address.port))
  }
  return url.href
}

/**
 * Reads `postgres://user:password@host:5432/database`, with several hosts separated by commas, or with `host` and `port`
 * as parameters. Without a user it is the process's own, and without a database that of the user's name. `ssl=true` is
 * `sslmode=require`, as for libpq. The failure is what is wanted, in words, and never contains the URL.
 */
export const readDatabaseUrl = (text: string, ownName = systemUser): Result.Result<DatabaseUrl, string> => {
  const [, scheme, user = "", hosts = "", rest = ""] = parts.exec(text.trim()) ?? []
  if (scheme === undefined || /\s/.test(text.trim())) return Result.fail(malformed(text.trim()))
  const after = URL.parse(`${scheme}${user}host${rest}`)
  const named = listed(hosts)
  if (after === null || named === undefined) return Result.fail(encodedShape)
  const path = percentDecoded(after.pathname.slice(1))
  const urlUser = percentDecoded(after.username)
  if (path === undefined || urlUser === undefined || percentDecoded(after.password) === undefined)
    return Result.fail(encodedShape)
  const query = after.searchParams
  const addresses = pairs(query.get("host")?.split(",") ?? named.hosts, query.get("port")?.split(",") ?? named.ports)
  if (addresses === undefined) return Result.fail("a PostgreSQL URL with ports from 1 to 65535, one for each host")
  const [first, ...others] = addresses
  if (first === undefined) return Result.fail(shape)
  const givenUser = query.get("user") || urlUser
  const databaseUser = givenUser || ownName()
  if (databaseUser === undefined) return Result.fail("a PostgreSQL URL with a user")
  if (givenUser === "") query.set("user", databaseUser)
  const target = query.get("target_session_attrs") ?? "read-write"
  if (!writable.has(target)) {
    return Result.fail("a PostgreSQL URL with target_session_attrs=read-write, since this product writes")
  }
  const ssl = query.get("ssl")
  if (ssl !== null && ssl !== "true" && ssl !== "false")
    return Result.fail("a PostgreSQL URL with sslmode=require or sslmode=disable in place of ssl")
  query.delete("ssl")
  if (ssl === "true" && !query.has("sslmode")) query.set("sslmode", "require")
  const tls = query.get("sslmode") ?? "disable"
  if (!tlsModes.includes(tls)) return Result.fail(`a PostgreSQL URL with an sslmode of ${tlsModes.join(", ")}`)
  if (!/^\d*$/.test(query.get("connect_timeout") ?? ""))
    return Result.fail("a PostgreSQL URL with a connect_timeout in whole seconds")
  if (others.length > 0 && (tls === "prefer" || tls === "allow")) {
    return Result.fail("a PostgreSQL URL with sslmode=require or sslmode=disable where it has several hosts")
  }
  return Result.succeed({
    addresses: [first, ...others],
    database: query.get("dbname") || path || databaseUser,
    driverUrl: Redacted.make(withHost(scheme, user, first, after)),
    verifiesHost: tls === "require" || tls.startsWith("verify")
  })
}

/** Throws where the text is no such URL; it was read before, with its setting. */
export const databaseUrl = (url: Redacted.Redacted<string>): DatabaseUrl =>
  Result.getOrThrowWith(
    readDatabaseUrl(Redacted.value(url)),
    (wanted) => new Error(`The address of the database must be ${wanted}`)
  )

/** Without secrets. */
export const locationOf = ({ addresses, database }: DatabaseUrl): string =>
  `${addresses.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`

/** The URL with its passwords replaced by `***`. */
export const withoutPasswords = (text: string): string =>
  text.replace(/^([^:]*:\/\/[^:@/?#]*):[^/?#]*@/, "$1:***@").replace(/([?&](?:ssl)?password=)[^&#]*/g, "$1***")
