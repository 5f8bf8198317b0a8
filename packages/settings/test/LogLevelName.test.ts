import { describe, expect, it } from "@effect/vitest"
import { logLevelNamed, logLevelNames } from "../src/LogLevelName.ts"

describe("names of log levels", () => {
  it.each([
    ["Trace", "trace verbose"],
    ["Debug", "debug"],
    ["Info", "info information notice"],
    ["Warn", "warn warning"],
    ["Error", "error err"],
    ["Fatal", "fatal critical crit emerg"],
    ["None", "none off silent quiet"]
  ])("%s is called %s, in any case", (level, names) => {
    for (const name of names.split(" "))
      for (const written of [name, name.toUpperCase(), ` ${name[0]!.toUpperCase()}${name.slice(1)} `])
        expect(logLevelNamed(written), written).toBe(level)
  })

  it("the names that errors list are accepted", () => {
    for (const name of logLevelNames.split(/, | or /)) expect(logLevelNamed(name), name).toBeDefined()
  })

  it("anything else is not a log level", () => {
    for (const name of ["", "loud", "warn,info", "__proto__", "constructor"])
      expect(logLevelNamed(name)).toBeUndefined()
  })
})
