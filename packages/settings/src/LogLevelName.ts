import type { LogLevel } from "effect"

/** The accepted names of log levels; compared ignoring case and surrounding blanks. */
const names = {
  All: ["all", "silly"],
  Trace: ["trace", "verbose", "finest"],
  Debug: ["debug", "fine"],
  Info: ["info", "information", "informational", "notice", "default"],
  Warn: ["warn", "warning"],
  Error: ["error", "err", "severe"],
  Fatal: ["fatal", "crit", "critical", "alert", "emerg", "emergency", "panic"],
  None: ["none", "off", "silent", "quiet"]
} as const satisfies Readonly<Record<LogLevel.LogLevel, ReadonlyArray<string>>>

const levels = new Map(
  Object.entries(names).flatMap(([level, all]) => all.map((name) => [name as string, level as LogLevel.LogLevel]))
)

/** The level with this name; undefined for an unknown name. */
export const logLevelNamed = (name: string): LogLevel.LogLevel | undefined => levels.get(name.trim().toLowerCase())

/** The names for help texts and errors, one per level; `all` is left out. */
export const logLevelNames = "trace, debug, info, warning, error, fatal or none"
