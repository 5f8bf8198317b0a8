import { Schema, SchemaAST } from "effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { markdownType } from "@lists-and-things/web/RequestBody"
import { documented, dryRun, flag, type ParameterDoc, storable } from "./Parameters.ts"

/** The field of a JSON body that holds the document, and that a whole body can replace. */
export const markdownField = "markdown"

const MarkdownBody = Schema.String.annotate({
  description: "Only the document, in UTF-8; the other fields are query parameters."
}).pipe(HttpApiSchema.asText({ contentType: markdownType }))

/**
 * Body and query of a write that takes a document: as the field `markdown` of `input`, or as the whole body, with the
 * other fields of `input` in the query. Either way the handler gets a value of `input`.
 */
export const documentOf = <S extends Schema.Top>(input: S) => ({
  payload: [input, MarkdownBody] as const,
  query: { ...dryRun, ...(fieldsInQuery(input) as {}) }
})

const withoutRules = (field: SchemaAST.AST): Schema.Top => (SchemaAST.isBoolean(field) ? flag : storable)

/** Without the rules of the fields: they are decoded by `input` in the end, which has those. */
const fieldsInQuery = (input: Schema.Top): Readonly<Record<string, Schema.Top>> =>
  Object.fromEntries(
    fieldsBeside(input.ast).map(({ name, type }) => {
      const { description, example, schema } = declarationOf(type)
      return [name, Schema.optionalKey(documented(withoutRules(type), description, schema, example))]
    })
  )

/** The fields that are not the document, in their encoded form. */
export const fieldsBeside = (
  input: SchemaAST.AST
): ReadonlyArray<{ readonly name: string; readonly type: SchemaAST.AST }> => {
  const encoded = SchemaAST.toEncoded(input)
  return SchemaAST.isObjects(encoded)
    ? encoded.propertySignatures
        .map(({ name, type }) => ({ name: String(name), type }))
        .filter(({ name }) => name !== markdownField)
    : []
}

const declarationOf = (type: SchemaAST.AST): ParameterDoc => {
  const { description, examples, ...schema } = Schema.toJsonSchemaDocument(Schema.make(type)).schema as {
    readonly description?: string
    readonly examples?: ReadonlyArray<unknown>
  }
  return { description: `Only with a body of type \`${markdownType}\`. ${description}`, schema, example: examples?.[0] }
}
