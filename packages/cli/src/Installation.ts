import type { Layer } from "effect"
import type { CliServices } from "./CliServices.ts"

/** What to do about data of an older release: bring it up to date, give up, or work with what is there. */
export type OlderSchema = "migrate" | "refuse" | "accept"

/** One variable of the environment and what is in force. */
export interface Setting {
  readonly name: string
  /** Without secrets; null when there is none. */
  readonly value: string | null
  readonly source: "environment" | "default"
  readonly meaning: string
}

export interface EmbeddedServer {
  /** The folder with its data and log. */
  readonly location: string
  readonly created: boolean
  readonly running: boolean
  readonly pid: number | null
  /** Whom it runs as, where that is another user than ours. */
  readonly user: string | null
}

/** What the composition root knows and commands ask for; nothing is loaded before it is asked for. */
export interface Installation {
  readonly version: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Connects, starts the embedded server where that is needed, and sets up a database that is empty. */
  readonly services: (olderSchema: OlderSchema) => Promise<Layer.Layer<CliServices, Error>>
  readonly settings: () => Promise<ReadonlyArray<Setting>>
  /** Starts nothing. */
  readonly embedded: () => Promise<EmbeddedServer>
  /** False when it does not run. */
  readonly stopEmbedded: () => Promise<boolean>
}
