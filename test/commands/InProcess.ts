import type { Installation } from "@lists-and-things/cli/Installation"
import { main } from "@lists-and-things/cli/Main"
import type { Terminal } from "@lists-and-things/cli/Terminal"
import type { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { ConfigProvider, Layer, ManagedRuntime } from "effect"
import { cliLayer } from "../../bin/CliLayer.ts"
import { succeeding } from "../cli/Lat.ts"

interface Typed {
  /** The text of standard input. */
  readonly input?: string
  /** Answers to questions, as on a terminal; without answers, `lat` cannot ask. */
  readonly answers?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly installation?: Partial<Installation>
  readonly outIsTerminal?: boolean
  readonly pour?: Terminal["outWhenReady"]
  /** Services that replace those of the memory storage. */
  readonly services?: Layer.Layer<InstanceDump>
}

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A terminal that records its output and gives the answers of the test. */
const recording = ({ answers, input = "", outIsTerminal = false, pour }: Typed) => {
  const written = { out: "", err: "" }
  const left = [...(answers ?? [])]
  const ask = (question: string) => {
    written.err += question
    return Promise.resolve(left.shift())
  }
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    line: () => {},
    outWhenReady: pour ?? ((text) => Promise.resolve(void (written.out += text))),
    inputPieces: async function* () {
      yield Buffer.from(input)
    },
    outIsTerminal,
    errIsTerminal: false,
    canAsk: answers !== undefined,
    columns: 80,
    paint: (_style, text) => text,
    paintErr: (_style, text) => text,
    readInput: () => Promise.resolve(Buffer.from(input)),
    ask,
    askHidden: ask
  }
  return { terminal, written }
}

/** `lat` with memory storage in the process of the test, a hundred times as fast as one process per command. */
export const openCommands = () => {
  const settings: Readonly<Record<string, string>> = { LAT_STORAGE: "memory", LAT_WEBHOOK_ALLOW: "127.0.0.1" }
  const runtime = ManagedRuntime.make(
    cliLayer("refuse").pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))))
  )
  const run = async (line: ReadonlyArray<string>, typed: Typed = {}): Promise<Ended> => {
    const { terminal, written } = recording(typed)
    const environment = { ...settings, ...typed.env }
    const services = Layer.mergeAll(
      Layer.effectContext(runtime.contextEffect),
      typed.services ?? Layer.empty,
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
    )
    const installation: Installation = {
      programs: { root: "/nowhere", node: "node", isCheckout: false },
      environment,
      services: () => Promise.resolve(services),
      settings: () => Promise.resolve([]),
      embedded: () => Promise.reject(new Error("Memory has no server")),
      upgradeEmbedded: () => Promise.resolve(undefined),
      embeddedUsers: () => Promise.resolve(0),
      stopEmbedded: () => Promise.resolve(false),
      ...typed.installation
    }
    const code = await main(line, installation, terminal)
    return { code, ...written }
  }
  const { json, output } = succeeding(run)
  return {
    run,
    output,
    json,
    quiet: (line: ReadonlyArray<string>, typed?: Typed) => output([...line, "--quiet"], typed),
    /** Runs use cases, for state that no command shows. */
    ask: runtime.runPromise,
    close: () => runtime.dispose()
  }
}
