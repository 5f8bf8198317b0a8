import type { DumpCounts } from "@lists-and-things/domain/ports/InstanceDump"
import type { InForce } from "@lists-and-things/settings/Setting"
import type { Layer } from "effect"
import type { CliServices } from "./CliServices.ts"
import type { Programs } from "./commands/setup/Programs.ts"

/** How to treat data of an older release: migrate it, fail, or work with it as it is. */
export type OlderSchema = "migrate" | "refuse" | "accept"

export interface EmbeddedServer {
  /** Folder of its data and log. */
  readonly location: string
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

/** Whether data is in the embedded PostgreSQL, by the settings in force. */
export const usesEmbedded = (settings: ReadonlyArray<InForce>): boolean => {
  const valueOf = (name: string) => settings.find((each) => each.name === name)?.value ?? null
  return valueOf("LAT_STORAGE") === "postgres" && valueOf("DATABASE_URL") === null
}

/** What the composition root provides to commands; each part is loaded on first use. */
export interface Installation {
  /** Where they lie. */
  readonly programs: Programs
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Connects; starts the embedded server if needed, and creates the schema in an empty database. */
  readonly services: (olderSchema: OlderSchema) => Promise<Layer.Layer<CliServices, Error>>
  readonly settings: () => Promise<ReadonlyArray<InForce>>
  /** Never starts a server. */
  readonly embedded: () => Promise<EmbeddedServer>
  /** Undefined where its data is of the major version of PostgreSQL that this release brings. */
  readonly upgradeEmbedded: () => Promise<UpgradedServer | undefined>
  /** The number of processes that use it; undefined where it does not tell. */
  readonly embeddedUsers: () => Promise<number | undefined>
  /** False when it is not running. Programs that use it bring it back, unless it is to stay down. */
  readonly stopEmbedded: (options: { readonly staysDown: boolean }) => Promise<boolean>
}
