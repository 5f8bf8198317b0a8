import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Config, ConfigProvider, Effect, Option, Predicate, Redacted } from "effect"
import { describe, expect, it } from "@effect/vitest"
import * as Settings from "../src/Settings.ts"
import { everyProgram, type Program, type Setting } from "../src/Setting.ts"

type Environment = Readonly<Record<string, string>>

const parse = <A>(config: Config.Config<A>, environment: Environment) =>
  Effect.result(config.parse(ConfigProvider.fromEnvRecord(environment)))

const value = <A>(config: Config.Config<A>, environment: Environment) =>
  Effect.runSync(Effect.flatMap(parse(config, environment), Effect.fromResult))

const refusal = (config: Config.Config<unknown>, environment: Environment): string => {
  const failed = Effect.runSync(Effect.flip(Effect.flatMap(parse(config, environment), Effect.fromResult)))
  expect(failed).toBeInstanceOf(Config.ConfigError)
  return failed.cause.message
}

const inForce = (environment: Environment) =>
  value(Config.all(Settings.settings.map((each) => each.inForce)), environment)

describe("the table of settings", () => {
  it("names each variable once", () => {
    const names = Settings.settings.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it("has every setting that a program can read", () => {
    const listed = new Set<unknown>(Settings.settings)
    const readable = Object.entries(Settings).filter(([, each]) => Predicate.hasProperty(each, "inForce"))
    expect(readable.filter(([, each]) => !listed.has(each)).map(([name]) => name)).toEqual([])
  })

  it("equals the one in docs/settings.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8")
    const rows = Settings.settings.map(({ meaning, name, otherwise, programs }) => {
      const readBy = programs.length === everyProgram.length ? "all" : programs.join(", ")
      return `| \`${name}\` | ${otherwise} | ${readBy} | ${meaning} |`
    })
    expect(/^\| variable \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page)?.[1]?.trimEnd().split("\n")).toStrictEqual(rows)
  })

  it("describes the actual defaults", () => {
    const shown = new Map(inForce({}).map(({ name, value }) => [name, value]))
    const computed = ["PUBLIC_URL", "LAT_DATA_DIR", "LAT_LOG", "LAT_HISTORY_BYTES"]
    for (const { name, otherwise } of Settings.settings.filter((each) => !computed.includes(each.name)))
      expect([name, shown.get(name) ?? "unset"]).toStrictEqual([name, otherwise.replace(/ \(\d+ MiB\)$/, "")])
    expect(shown.get("LAT_LOG")).toBe("info")
    expect(shown.get("PUBLIC_URL")).toBe("http://localhost:3000")
    expect(shown.get("LAT_HISTORY_BYTES")).toBe(String(2 * Number(shown.get("LAT_MAX_ACCOUNT_BYTES"))))
    expect(inForce({}).every(({ source }) => source === "default")).toBe(true)
  })

  it("treats a blank variable as unset", () => {
    const blank = Object.fromEntries(Settings.settings.map(({ name }) => [name, " "]))
    const empty = Object.fromEntries(Settings.settings.map(({ name }) => [name, ""]))
    expect(inForce(blank)).toStrictEqual(inForce({}))
    expect(inForce(empty)).toStrictEqual(inForce({}))
  })
})

describe("a value", () => {
  const accepted: ReadonlyArray<readonly [Setting<unknown, unknown>, string, unknown]> = [
    [Settings.port, "0", 0],
    [Settings.port, " 8080 ", 8080],
    [Settings.publicUrl, "https://lists.example.com///", "https://lists.example.com"],
    [Settings.publicUrl, "http://example.com/a/", "http://example.com/a"],
    [Settings.publicUrl, "HTTPS://Lists.Example.com:443/A", "https://lists.example.com/A"],
    [Settings.publicUrl, "https://bücher.example", "https://xn--bcher-kva.example"],
    [Settings.storage, "memory", "memory"],
    [Settings.logLevel, "WARNING", "Warn"],
    [Settings.minFreeBytes, "0", 0],
    [Settings.dataDir, "/srv/lists", "/srv/lists"],
    [Settings.dataDir, "./~/lists", "./~/lists"],
    [Settings.host, " lists.example.com ", "lists.example.com"],
    [Settings.host, "[::1]", "::1"],
    [Settings.host, "fe80::1%eth0", "fe80::1%eth0"],
    [Settings.databasePooler, "transaction", "transaction"],
    [Settings.workers, " 2", 2]
  ]
  it.each(accepted)("%o of %j is %j", (setting, text, expected) => {
    expect(value(setting.config, { [setting.name]: text })).toStrictEqual(expected)
    expect(value(setting.given, { [setting.name]: text })).toStrictEqual(Option.some(expected))
  })

  it("of a secret is hidden, and of a database is shown without its password", () => {
    const DATABASE_URL = "postgres://ann:hush@localhost/lists?sslpassword=hush&application_name=x"
    const shown = inForce({ DATABASE_URL, LAT_API_KEY: "lat_hush" }).filter(({ source }) => source === "environment")
    expect(shown.map(({ value }) => value)).toStrictEqual([
      "postgres://ann:***@localhost/lists?sslpassword=***&application_name=x",
      "(hidden)"
    ])
    expect(Redacted.value(value(Settings.databaseUrl.config, { DATABASE_URL })!)).toBe(DATABASE_URL)
  })

  it("of a service URL is shown without what may be a key", () => {
    const LAT_GEOCODER_URL = "https://geo.example.com/search?key=hush&countrycodes=at#x"
    const shown = inForce({ LAT_GEOCODER_URL }).find(({ name }) => name === "LAT_GEOCODER_URL")
    expect(shown?.value).toBe("https://geo.example.com/search?key=***&countrycodes=***#x")
    expect(value(Settings.geocoderUrl.config, { LAT_GEOCODER_URL })).toBe(LAT_GEOCODER_URL)
  })

  it.each([Settings.publicUrl, Settings.otlpEndpoint, Settings.geocoderUrl])(
    "of %o with a user is refused without quoting its password",
    (setting) => {
      const said = refusal(setting.config, { [setting.name]: "https://ann:hush@example.com:4318/a@b?key=hush" })
      expect(said).toMatch(
        /^\w+: expected an http or https URL without .*user, not "https:\/\/\*\*\*@example\.com:4318/
      )
      expect(said).not.toContain("hush")
    }
  )

  it.each([
    [Settings.port, "99999", 'expected a whole number from 0 to 65535, not "99999", for instance PORT=3001'],
    [Settings.port, "80a", 'expected a whole number from 0 to 65535, not "80a", for instance PORT=3001'],
    [Settings.port, "3e3", /^expected a whole number from 0 to 65535, not "3e3"/],
    [Settings.port, "0x10", /^expected a whole number from 0 to 65535, not "0x10"/],
    [Settings.metricsToken, "two words", /^expected a token of ASCII letters, digits and signs without blanks, for/],
    [Settings.metricsToken, "Schlüssel", /^expected a token of ASCII letters/],
    [
      Settings.host,
      "a b",
      'expected an address or a host name, without a scheme and a port, not "a b", for instance HOST=0.0.0.0'
    ],
    [Settings.host, "http://127.0.0.1", /^expected an address or a host name, without a scheme and a port, not "http:/],
    [
      Settings.host,
      "[::1]:3000",
      /^expected an address or a host name, without a scheme and a port, not "\[::1\]:3000"/
    ],
    [Settings.host, "[localhost]", /^expected an address or a host name/],
    [Settings.dataDir, "/srv/li\u0007sts", /^expected a path without control characters/],
    [Settings.host, "127.0.0.1:3000", /^expected an address or a host name, without a scheme and a port, not "127/],
    [
      Settings.host,
      '"127.0.0.1"',
      /without a scheme and a port, without quotes around it, not "\\"127\.0\.0\.1\\"", for/
    ],
    [
      Settings.publicUrl,
      "lists.example.com",
      'expected an http or https URL without a query and a user, not "lists.example.com", for instance PUBLIC_URL=https://lists.example.com'
    ],
    [Settings.publicUrl, "https://lists.example.com/?a=1", /^expected an http or https URL without/],
    [
      Settings.publicUrl,
      "https://*",
      'expected one http or https URL, of one host, not "https://*", for instance PUBLIC_URL=https://lists.example.com'
    ],
    [Settings.publicUrl, "https://a.example,https://b.example", /^expected one http or https URL, of one host, not/],
    [Settings.publicUrl, "https://lists.example.com:0", /^expected one http or https URL, of one host, not/],
    [
      Settings.publicUrl,
      "http://0.0.0.0:3000",
      'expected the URL that people open, with a name or an address of this machine (HOST is the address to listen at), not "http://0.0.0.0:3000", for instance PUBLIC_URL=https://lists.example.com'
    ],
    [Settings.publicUrl, "http://[::]:3000", /^expected the URL that people open/],
    [
      Settings.dataDir,
      "~/lists",
      'expected a path whose ~ a shell has expanded (./~ is a folder of that name), not "~/lists", for instance LAT_DATA_DIR=/srv/lists-and-things'
    ],
    [
      Settings.dataDir,
      "/srv/lists\r",
      'expected a path without control characters, and without blanks at its ends, not "/srv/lists\\r", for instance LAT_DATA_DIR=/srv/lists-and-things'
    ],
    [
      Settings.dataDir,
      " /srv/lists",
      /^expected a path without control characters, and without blanks at its ends, not/
    ],
    [Settings.dataDir, '"/srv/lists"', /^expected a path .*, without quotes around it, not "\\"\/srv\/lists\\"", for/],
    [Settings.storage, "paper", 'expected postgres or memory, not "paper", for instance LAT_STORAGE=memory'],
    [Settings.logLevel, "loud", /^expected trace, debug, .* or none, not "loud", for instance LAT_LOG=debug$/],
    [
      Settings.minFreeBytes,
      "9223372036854775807",
      'expected a whole number from 0 to 9007199254740991, not "9223372036854775807", for instance LAT_MIN_FREE_BYTES=268435456'
    ],
    [Settings.answerBytes, "2 GiB", /^expected a whole number from 1 to 9007199254740991, not "2 GiB", for instance/],
    [
      Settings.otlpEndpoint,
      "collector:4318",
      'expected an http or https URL without a user, not "collector:4318", for instance OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318'
    ],
    [Settings.geocoderUrl, "https://a.example,https://b.example", /^expected an http or https URL without a user, not/],
    [Settings.geocoderUrl, "ftp://example.com", /^expected an http or https URL without a user, not "ftp:/],
    [
      Settings.databaseUrl,
      "'postgres://ann:hush@localhost/lists'",
      "expected a PostgreSQL URL, without quotes around it, for instance DATABASE_URL=postgres://user:password@localhost:5432/lists"
    ],
    [
      Settings.databaseUrl,
      "mysql://ann:hush@localhost",
      "expected a PostgreSQL URL, for instance DATABASE_URL=postgres://user:password@localhost:5432/lists"
    ],
    [
      Settings.databaseUrl,
      "postgres://ann:hush@a:5432,b:5433/lists?target_session_attrs=standby",
      /^expected a PostgreSQL URL with target_session_attrs=read-write, since this product writes, for/
    ],
    [Settings.workers, "0", 'expected a whole number from 1 to 64, or auto, not "0", for instance LAT_WORKERS=auto'],
    [Settings.databasePooler, "session", /^expected transaction, not "session", for instance LAT_DATABASE_POOLER=tr/]
  ] as const)("%o of %j is refused: %s", (setting, text, message) => {
    const said = refusal(setting.config, { [setting.name]: text })
    const [variable, ...rest] = said.split(": ")
    expect(variable).toBe(setting.name)
    expect(rest.join(": ")).toMatch(message)
    expect(refusal(setting.inForce, { [setting.name]: text })).toBe(said)
  })

  it("is refused by the programs that read it, even if another setting leaves it unused", () => {
    const check = (program: Program, environment: Environment) =>
      Effect.runSyncExit(
        Effect.provideService(
          Settings.checkSettings(program),
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnvRecord(environment)
        )
      )._tag
    const unused = { LAT_STORAGE: "memory", LAT_MIN_FREE_BYTES: "x" }
    expect(everyProgram.map((program) => check(program, unused))).toStrictEqual(["Failure", "Failure", "Failure"])
    const ofOne = { LAT_WORKERS: "x" }
    expect(everyProgram.map((program) => check(program, ofOne))).toStrictEqual(["Failure", "Success", "Success"])
    expect(check("lat-http", { LAT_STORAGE: "memory" })).toBe("Success")
  })

  it("of an unknown setting is reported, with the closest known setting", () => {
    const environment = {
      LAT_DATA: "/srv/lists",
      LAT_HISTORY_DAY: "90",
      LAT_LOG: "debug",
      HOME: "/root",
      LAT_SLOW: " "
    }
    expect(Settings.unknownSettings(environment)).toStrictEqual([
      "LAT_DATA is no setting and has no effect; did you mean LAT_DATA_DIR?",
      "LAT_HISTORY_DAY is no setting and has no effect; did you mean LAT_HISTORY_DAYS?"
    ])
    expect(Settings.unknownSettings({ LAT_PORT: "1", LAT_LOG_LEVEL: "debug" })).toStrictEqual([
      "LAT_PORT is no setting and has no effect; did you mean PORT?",
      "LAT_LOG_LEVEL is no setting and has no effect; did you mean LAT_LOG?"
    ])
    expect(Settings.unknownSettings({ LAT_Q: "1" })).toStrictEqual(["LAT_Q is no setting and has no effect"])
  })

  it("of an option is refused by the option's name", () => {
    const failed = Effect.runSync(Effect.flip(Settings.port.parse("x", "--port ")))
    expect(failed.cause.message).toBe(
      '--port: expected a whole number from 0 to 65535, not "x", for instance --port 3001'
    )
  })
})

const read = (text: string | undefined) =>
  parse(Settings.trustedProxies.config, text === undefined ? {} : { LAT_TRUSTED_PROXIES: text })

describe("LAT_TRUSTED_PROXIES", () => {
  it.effect("is empty by default, and accepts IPv4 and IPv6 addresses and ranges", () =>
    Effect.gen(function* () {
      const shown = (ranges: ReadonlyArray<readonly [{ toString(): string }, number]>) =>
        ranges.map(([first, bits]) => `${first}/${bits}`)
      const of = (text: string | undefined) => Effect.map(Effect.flatMap(read(text), Effect.fromResult), shown)
      expect(yield* of(undefined)).toStrictEqual([])
      expect(yield* of(" ")).toStrictEqual([])
      expect(yield* of("10.0.0.0/8, 192.0.2.7,::1,2001:db8::/32,")).toStrictEqual([
        ...["10.0.0.0/8", "192.0.2.7/32", "::1/128", "2001:db8::/32"]
      ])
      expect(yield* of("::ffff:10.0.0.0/104")).toStrictEqual(["10.0.0.0/8"])
      expect(yield* of("0.0.0.0/0")).toStrictEqual(["0.0.0.0/0"])
    })
  )

  it.effect("is refused with its name if an entry is neither an address nor a range", () =>
    Effect.gen(function* () {
      for (const text of [
        "proxy.example",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "::1/129",
        "10.0/8",
        "010.0.0.1/x"
      ]) {
        const result = yield* read(`127.0.0.1, ${text}`)
        expect(result._tag, text).toBe("Failure")
        if (result._tag === "Failure") {
          expect(result.failure).toBeInstanceOf(Config.ConfigError)
          expect(result.failure.message).toContain("LAT_TRUSTED_PROXIES")
          expect(result.failure.message).toContain(text)
        }
      }
    })
  )
})
