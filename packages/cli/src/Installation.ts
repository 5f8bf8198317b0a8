import type { DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import type { SettingInForce } from "@lists-and-things/settings/Setting"
import type { Layer } from "effect"
import type { CliServices } from "./CliServices.ts"
import type { Programs } from "./commands/setup/Programs.ts"

/** How to treat data of an older release: migrate it, fail, or work with it as it is. */
export type OlderSchema = "migrate" | "refuse" | "accept"

/** What is known of the embedded server without starting it. */
export interface EmbeddedServer {
  /** Folder of its data and log. */
  readonly location: string
  /** Whether the folder has a cluster. */
  readonly created: boolean
  readonly running: boolean
  readonly pid: number | null
  /** The user that it runs as, where that differs from the current one. */
  readonly user: string | null
}

export interface UpgradedServer {
  /** Major versions of PostgreSQL. */
  readonly from: number
  readonly to: number
  /** Where the old data is. */
  readonly kept: string
  readonly rows: DumpCounts
}

/** Whether the settings in force keep the data in the embedded PostgreSQL. */
export const usesEmbedded = (settings: ReadonlyArray<SettingInForce>): boolean => {
  const valueOf = (name: string) => settings.find((each) => each.name === name)?.value ?? null
  return valueOf("LAT_STORAGE") === "postgres" && valueOf("DATABASE_URL") === null
}

/** Whether the data is in a database of one's own; a blank variable counts as not set. */
export const hasOwnDatabase = ({ environment }: Installation): boolean => Boolean(environment["DATABASE_URL"]?.trim())

/** What the composition root provides to commands; each part is loaded on first use. */
export interface Installation {
  /** Paths of the programs. */
  readonly programs: Programs
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Connects; starts the embedded server if needed, and creates the schema in an empty database. */
  readonly services: (olderSchema: OlderSchema) => Promise<Layer.Layer<CliServices, Error>>
  readonly settings: () => Promise<ReadonlyArray<SettingInForce>>
  /** The state of the embedded server; never starts it. */
  readonly embedded: () => Promise<EmbeddedServer>
  /** Undefined if the data already has the major version of PostgreSQL that this release brings. */
  readonly upgradeEmbedded: () => Promise<UpgradedServer | undefined>
  /** The number of processes that use the embedded server; undefined if it cannot be determined. */
  readonly embeddedUsers: () => Promise<number | undefined>
  /** False if the server was not running. Programs that use it start it again, unless `staysDown`. */
  readonly stopEmbedded: (options: { readonly staysDown: boolean }) => Promise<boolean>
}
