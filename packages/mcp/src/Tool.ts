import { Effect, Schema } from "effect"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { callOf, CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { type RequiredScopes, type Scope, scopesOf } from "@lists-and-things/domain/model/Scope"
import { type DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { DryRunJson, dryRunJson } from "@lists-and-things/domain/json/OperationJson"
import type { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import type { Changes } from "@lists-and-things/domain/history/Changes"
import type { Operations } from "@lists-and-things/domain/history/Operations"
import type { Undo } from "@lists-and-things/domain/history/Undo"
import type { Lists } from "@lists-and-things/domain/lists/Lists"
import type { Places } from "@lists-and-things/domain/places/Places"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { Search } from "@lists-and-things/domain/search/Search"
import type { Tags } from "@lists-and-things/domain/tags/Tags"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import type { Things } from "@lists-and-things/domain/things/Things"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { isRecord, lenient, nullArguments } from "./LenientArguments.ts"
import { loosened, objectSchemaOf, type ObjectSchema } from "./JsonSchema.ts"
import { countFitting } from "./results/Fitting.ts"
import type { BaseUrl } from "@lists-and-things/web/BaseUrl"

/** Hints for clients; every tool sets all four. */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Always false: tools work on the owner's data only. */
  readonly openWorldHint: false
}

const reads: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const writes: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }

export const hints = {
  reads,
  /** Creates; a repeated call creates again. */
  adds: writes,
  /** Creates what is missing; idempotent. */
  ensures: { ...writes, idempotentHint: true },
  /** Changes existing data; a repeated call can have another effect. */
  changes: { ...writes, destructiveHint: true },
  /** Changes or removes existing data; idempotent. */
  replaces: { ...writes, destructiveHint: true, idempotentHint: true }
} as const satisfies Record<string, Hints>

/** The use cases that tools require. */
export type ToolServices =
  | Lists
  | Things
  | BulkThings
  | Reminders
  | Places
  | Search
  | Tags
  | Operations
  | Changes
  | Undo
  | IdempotencyRecords
  | Preconditions
  | DryRuns
  | BaseUrl

export interface ToolDefinition<In, Out> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scope: RequiredScopes
  /**
   * Set if the tool changes something: the `operationId` of the REST operation that does the same, or a name in that
   * form.
   */
  readonly operation?: string
  /** Takes `dry_run`. */
  readonly dryRun?: true
  /** Whether the handler begins with `callerReading` for every input, or never uses its caller. */
  readonly readsWithAdmission?: true
  readonly hints: Hints
  readonly input: Schema.ConstraintDecoder<In>
  readonly output: Schema.ConstraintCodec<Out, unknown>
  /** Returns what `output` describes. */
  readonly handler: (input: In) => Effect.Effect<NoInfer<Out>, DomainError, Caller | ToolServices>
}

/** A tool as the server runs it: JSON in, JSON out. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scopes: ReadonlyArray<Scope>
  readonly operation?: string | undefined
  readonly readsWithAdmission?: boolean | undefined
  readonly hints: Hints
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** The result as JSON text, encoded by the output schema. */
  readonly call: (args: unknown) => Effect.Effect<string, DomainError, Caller | ToolServices>
}

/**
 * Makes a tool that decodes its arguments leniently, takes `request_id` and `dry_run` where its definition allows them,
 * and names the operation that it recorded in its result.
 */
export const defineTool = <In, Out>(definition: ToolDefinition<In, Out>): Tool => {
  const { name, title, description, dryRun, operation, hints, readsWithAdmission } = definition
  const scopes = scopesOf(definition.scope)
  const isRepeatable = scopes.every((scope) => scope.startsWith("write:"))
  const besides = {
    ...(isRepeatable && { request_id: stringSchema }),
    ...(dryRun && { dry_run: { type: "boolean" } })
  }
  const schemas = schemasOf(definition, besides)
  const run = runOf(definition, Object.keys(besides), schemas.own)
  const write = Effect.fnUntraced(function* (operation: string, given: unknown) {
    const args = lenient(schemas.input(), given ?? {})
    const { key, rest: repeated } = isRepeatable ? yield* repeatable(args) : { key: null, rest: args }
    const { isDry, rest } = dryRun ? yield* dryable(repeated) : { isDry: false, rest: repeated }
    const made = yield* callOf(operation, "mcp", key)
    const result = isDry ? dry(run(rest)) : key === null ? run(rest) : once(key, requestOf(name, rest), run(rest), made)
    const answer = yield* Effect.provideService(result, CurrentOperation, made)
    const nulls = isDry || !isRepeatable ? [] : nullArguments(given)
    if (nulls.length === 0 || !isIdle(made)) return withCall(answer, made)
    const told = JSON.parse(answer) as { readonly notice?: string }
    return JSON.stringify({ ...told, notice: told.notice ?? nullsNotice(nulls) })
  })
  const read = Effect.fnUntraced(function* (given: unknown) {
    const made = yield* callOf(name, "mcp")
    return withCall(
      yield* Effect.provideService(run(lenient(schemas.input(), given ?? {})), CurrentOperation, made),
      made
    )
  })

  return {
    name,
    title,
    description,
    scopes,
    operation,
    readsWithAdmission,
    hints,
    get inputSchema() {
      return schemas.input()
    },
    get outputSchema() {
      return schemas.output()
    },
    call: operation === undefined ? read : (given) => write(operation, given)
  }
}

/** The JSON schemas of a tool: of the fields of its own, of all arguments, and of its result. */
const schemasOf = <In, Out>(
  { dryRun, input, operation, output }: ToolDefinition<In, Out>,
  besides: ObjectSchema["properties"]
) => {
  const own = lazily(() => objectSchemaOf(input))
  return {
    own,
    input: lazily((): ObjectSchema => ({ ...own(), properties: { ...own().properties, ...besides } })),
    output: lazily((): ObjectSchema => {
      const result = loosened(objectSchemaOf(output))
      const extended: ObjectSchema = {
        ...result,
        properties: {
          ...result.properties,
          notice: stringSchema,
          ...(operation !== undefined && { operation_id: stringSchema })
        }
      }
      return dryRun ? orDryRun(extended) : extended
    })
  }
}

/** Decodes arguments, handles them, and encodes the result as JSON text. */
const runOf = <In, Out>(
  { handler, input, output }: ToolDefinition<In, Out>,
  besides: ReadonlyArray<string>,
  own: () => ObjectSchema
) => {
  const decodeFields = decodeInput(input, { at: "The arguments", terms: "tools", besides })
  const decode = (args: unknown) =>
    Object.keys(own().properties).length === 0 ? Effect.andThen(refuseAny(args), decodeFields({})) : decodeFields(args)
  const encode = Schema.encodeEffect(output, { onExcessProperty: "error" })
  return Effect.fnUntraced(function* (args: unknown) {
    const result = yield* handler(yield* decode(args))
    return JSON.stringify(yield* Effect.orDie(encode(result)))
  })
}

/** A call under way: its result as JSON text. */
type Run = ReturnType<ReturnType<typeof runOf>>

const dry = Effect.fnUntraced(function* (run: Run) {
  const dryRuns = yield* DryRuns
  return JSON.stringify(fittingDryRun(dryRunJson(yield* dryRuns.of(run))))
})

/** Runs a call once per key; a repetition gets the answer of the first one. */
const once = Effect.fnUntraced(function* (key: string, request: string, run: Run, made: OperationCall) {
  const records = yield* IdempotencyRecords
  return yield* records.once(
    `tool ${key}`,
    request,
    Effect.map(run, (answer) => noticed(answer, made))
  )
})

/** Created on first use, since the schemas of all tools would take a twentieth of a server's start. */
const lazily = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

/**
 * For `request_id`, `notice` and `operation_id`. It has no description: the instructions explain `request_id` once for
 * all tools.
 */
const stringSchema = { type: "string" } as const

/** The answer with the id of the operation that the call left, and its notice. */
const withCall = (answer: string, { notice, recorded }: OperationCall): string =>
  notice === undefined && recorded === undefined
    ? answer
    : JSON.stringify({
        ...(JSON.parse(answer) as object),
        ...(notice !== undefined && { notice }),
        ...(recorded !== undefined && { operation_id: recorded })
      })

/** The answer as it is stored, so that a repetition gets the same notice. */
const noticed = (answer: string, { notice }: OperationCall): string =>
  notice === undefined ? answer : JSON.stringify({ ...(JSON.parse(answer) as object), notice })

/** Whether the call changed nothing and left no notice. */
const isIdle = ({ notice, recorded }: OperationCall): boolean => notice === undefined && recorded === undefined

const nullsNotice = (names: ReadonlyArray<string>): string =>
  `Nothing was changed. What is null counts as left out (${names.join(", ")}); an empty string or array clears.`

/** Splits the arguments into `request_id`, which is null if absent, and the rest. */
const repeatable = Effect.fnUntraced(function* (args: unknown) {
  if (!isRecord(args) || args["request_id"] === undefined) return { key: null, rest: args }
  const { request_id, ...rest } = args
  return { key: yield* decodeRequestId(request_id), rest }
})

/** Splits the arguments into `dry_run` and the rest. */
const dryable = (args: unknown): Effect.Effect<{ readonly isDry: boolean; readonly rest: unknown }, InvalidInput> => {
  if (!isRecord(args) || args["dry_run"] === undefined) return Effect.succeed({ isDry: false, rest: args })
  const { dry_run, ...rest } = args
  return typeof dry_run === "boolean"
    ? Effect.succeed({ isDry: dry_run, rest })
    : Effect.fail(
        new InvalidInput({
          field: "dry_run",
          reason: "must be true or false",
          sent: shownValue(dry_run),
          example: '"dry_run": true'
        })
      )
}

/**
 * What identifies the call of a `request_id`. Preconditions and the order of arguments do not count, since a model that
 * repeats a call writes it anew.
 */
const requestOf = (name: string, args: unknown): string => {
  if (!isRecord(args)) return JSON.stringify([name, args])
  const { if_updated: _precondition, ...rest } = args
  return JSON.stringify([name, inOrder(rest)])
}

const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]))
}

/** The output schema with the fields of a dry run. Nested fields are omitted to make room for them. */
const orDryRun = ({ properties, required: _required, ...schema }: ObjectSchema): ObjectSchema => ({
  ...schema,
  properties: {
    ...Object.fromEntries(
      Object.entries(properties).map(([name, { type }]) => [name, type === undefined ? {} : { type }])
    ),
    ...Object.fromEntries(Object.keys(DryRunJson.fields).map((name) => [name, {}]))
  }
})

/** With as many of its first entities as fit into an answer. */
const fittingDryRun = (answer: DryRunJson): DryRunJson => {
  const { entities } = answer
  const fitting = entities && runStepsSync(countFitting(entities))
  if (fitting === entities?.length) return answer
  return { ...answer, entities: entities!.slice(0, fitting), entities_truncated: true }
}

/** A struct without fields accepts every key, so unknown keys are refused here. */
const refuseAny = (args: unknown): Effect.Effect<void, InvalidInput> => {
  const given = isRecord(args) ? Object.keys(args)[0] : "The arguments"
  if (given === undefined) return Effect.void
  const field = firstCharacters(given, 40)
  return Effect.fail(new InvalidInput({ field, reason: "is not a known field: this tool takes no arguments" }))
}

const decodeRequestId = (value: unknown): Effect.Effect<string, InvalidInput> =>
  typeof value === "string" && /^[\x21-\x7e]{1,200}$/.test(value)
    ? Effect.succeed(value)
    : Effect.fail(
        new InvalidInput({
          field: "request_id",
          reason: "must be 1 to 200 printable ASCII characters without spaces",
          sent: shownValue(value),
          example: '"request_id": "groceries-2026-11-20-1"'
        })
      )
