import { userInfo } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { databaseUrl, locationOf, readDatabaseUrl, withoutPasswords } from "../../src/connection/DatabaseUrl.ts"

const addressesOf = (url: string) =>
  databaseUrl(Redacted.make(url)).addresses.map(({ host, path, port }) => path ?? `${host} ${port}`)

const driverUrlOf = (url: string) => Redacted.value(databaseUrl(Redacted.make(url)).driverUrl)

const refusalOf = (url: string) => Result.match(readDatabaseUrl(url), { onFailure: String, onSuccess: () => "taken" })

describe("the URL of a database", () => {
  it.each([
    ["postgres://a/db", ["a 5432"]],
    ["postgresql://u:p@a:5433/db", ["a 5433"]],
    ["postgres:///db", ["localhost 5432"]],
    ["postgres://u:p@a:5432,b:5433/db", ["a 5432", "b 5433"]],
    ["postgres://u:p@a,b/db?port=5433", ["a 5433", "b 5433"]],
    ["postgres://u@[::1]:5433,[fe80::1]/db", ["::1 5433", "fe80::1 5432"]],
    ["postgres:///db?host=a,b&port=1,2", ["a 1", "b 2"]],
    ["postgres:///db?host=/run/a,/run/b&user=u", ["/run/a/.s.PGSQL.5432", "/run/b/.s.PGSQL.5432"]],
    ["postgres://u:p@a,b/db?target_session_attrs=read-write", ["a 5432", "b 5432"]]
  ])("%s names %j", (url, expected) => {
    expect(addressesOf(url)).toStrictEqual(expected)
  })

  it.each([
    ["postgres://u:p%40x@a:1,b:2/db?sslmode=require", "postgres://u:p%40x@a:1/db?sslmode=require"],
    ["postgres://u:p@[::1]:1,b:2/db", "postgres://u:p@[::1]:1/db"],
    ["postgres:///db?host=/run/a,/run/b&user=u", "postgres://localhost/db?user=u&host=%2Frun%2Fa&port=5432"],
    ["postgres://u:p@a/db?ssl=true", "postgres://u:p@a:5432/db?sslmode=require"],
    ["postgres://u:p@a/db?ssl=true&sslmode=verify-full", "postgres://u:p@a:5432/db?sslmode=verify-full"],
    ["postgres://u:p@a/db?ssl=false", "postgres://u:p@a:5432/db"]
  ])("%s becomes %s for the driver", (url, expected) => {
    expect(driverUrlOf(url)).toBe(expected)
  })

  it.each([
    "mysql://a/db",
    "postgres//a/db",
    "postgres://a b/db",
    "postgres://a:0/db",
    "postgres://a:65536/db",
    "postgres://a:1,b:x/db",
    "postgres://a:b:c/db",
    "postgres://a,b,c/db?port=1,2",
    "postgres://a/%E0%A4%A",
    "postgres://a,b/db?target_session_attrs=standby",
    "postgres://a,b/db?sslmode=prefer",
    "postgres://a/db?sslmode=often",
    "postgres://a/db?ssl=no-verify",
    "postgres://a/db?connect_timeout=soon"
  ])("%s is refused without being quoted", (url) => {
    expect(refusalOf(url)).toMatch(/^a PostgreSQL URL/)
    expect(refusalOf(url)).not.toContain(url)
  })

  it.each([
    "postgres://u:pa/ss@a/db",
    "postgres://u:pa#ss@a/db",
    "postgres://u:pa?ss@a/db",
    "postgres://u:pa ss@a/db",
    "postgres://u:100%@a/db",
    "postgres://100%:p@a/db"
  ])("%s is refused with how to encode its characters", (url) => {
    expect(refusalOf(url)).toContain("with %40 for @, %2F for /, %25 for %")
  })

  it.each([
    ["postgres://u:p@a", "a:5432/u"],
    ["postgres://u%40x:p@a/", "a:5432/u@x"],
    ["postgres://u:p@a/db", "a:5432/db"],
    ["postgres://a/?user=v", "a:5432/v"],
    ["postgres://u@a/db?dbname=other", "a:5432/other"]
  ])("%s is shown as %s", (url, expected) => {
    expect(locationOf(databaseUrl(Redacted.make(url)))).toBe(expected)
  })

  it.each(["postgres://a/db", "postgres://@a/db", "postgres://:p@a/db", "postgres://a/db?user="])(
    "%s uses the user of the process, if the system has a name for it",
    (url) => {
      const named = Result.getOrThrow(readDatabaseUrl(url, () => "ann"))
      expect(new URL(Redacted.value(named.driverUrl)).searchParams.getAll("user")).toStrictEqual(["ann"])
      expect(new URL(driverUrlOf(url)).searchParams.getAll("user")).toStrictEqual([userInfo().username])
      const unnamed = readDatabaseUrl(url, () => undefined)
      expect(unnamed).toStrictEqual(Result.fail("a PostgreSQL URL with a user"))
    }
  )

  it("is shown without its passwords", () => {
    const url = "postgres://u:secret@a:1,b:2/db?sslpassword=secret&password=secret&user=x"
    expect(withoutPasswords(url)).toBe("postgres://u:***@a:1,b:2/db?sslpassword=***&password=***&user=x")
    expect(withoutPasswords("postgres://u:p@ss@a/db?user=x@y")).toBe("postgres://u:***@a/db?user=x@y")
    expect(locationOf(databaseUrl(Redacted.make(url)))).toBe("a:1,b:2/db")
  })
})
