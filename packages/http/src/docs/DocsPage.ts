import {
  type Contract,
  limitsOf,
  type Operation,
  operationsOf,
  resolveParameter,
  type SchemaDoc,
  typeOf
} from "./Contract.ts"

/** The page's stylesheet, inlined so that the page loads nothing else. */
export const docsStyle = `:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:64rem;padding:1rem 1.25rem 4rem}
nav ul{columns:18rem;padding-left:1.1rem}
h2{border-bottom:1px solid var(--line);margin-top:3rem;padding-bottom:.25rem}
section{margin:2rem 0}
code,pre{font:.875em/1.45 ui-monospace,monospace}
pre{background:var(--soft);border-radius:6px;overflow:auto;padding:.75rem}
table{border-collapse:collapse;width:100%}
th,td{border-bottom:1px solid var(--line);padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top}
.method{display:inline-block;min-width:4.5em;font-weight:700}
.scope{background:var(--soft);border-radius:4px;padding:.1rem .4rem}
summary{cursor:pointer;margin:.5rem 0}`

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Escapes text and renders backticks as code. */
const prose = (text: string): string =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll("\n\n", "</p><p>")

/** The interface description as an HTML page. */
export const docsPage = (document: Record<string, unknown>): string => {
  const contract = document as unknown as Contract
  const operations = operationsOf(contract)
  const body = contract.tags.map((tag) => {
    const own = operations.filter((operation) => operation.tags.includes(tag.name))
    return `<h2>${escaped(tag.name)}</h2><p>${prose(tag.description ?? "")}</p>${own.map((each) => operationHtml(contract, each)).join("")}`
  })
  const links = operations.map(
    (each) => `<li><a href="#${each.operationId}">${escaped(each.method)} ${escaped(each.path)}</a></li>`
  )
  const objects = Object.entries(contract.components.schemas).map(
    ([name, schema]) => `<section id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${fieldsHtml(schema)}</section>`
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(contract.info.title)} API</title><style>${docsStyle}</style></head><body>
<h1>${escaped(contract.info.title)} API ${escaped(contract.info.version)}</h1>
<p>${prose(contract.info.description)}</p>
<p>Base address: <code>${escaped(contract.servers[0]?.url ?? "")}</code>. The same as <a href="api/v1/openapi.json">OpenAPI 3.1</a> and as <a href="llms.txt">plain text</a>.</p>
<nav><ul>${links.join("")}</ul></nav>
${body.join("\n")}
<h2>Objects</h2>
${objects.join("\n")}
</body></html>
`
}

const operationHtml = (contract: Contract, operation: Operation): string => `<section id="${operation.operationId}">
<h3><span class="method">${escaped(operation.method)}</span> <code>${escaped(operation.path)}</code></h3>
<p><strong>${escaped(operation.summary ?? "")}.</strong> <span class="scope">${escaped(operation["x-required-scope"])}</span></p>
<p>${prose(operation.description ?? "")}</p>
${parametersHtml(contract, operation)}
${exampleHtml("Request body", operation.requestBody?.content)}
${Object.entries(operation.responses)
  .filter(([status]) => Number(status) < 400)
  .map(([status, response]) => exampleHtml(status, response.content))
  .join("")}
<details><summary>Errors</summary><table>${Object.entries(operation.responses)
  .filter(([status]) => Number(status) >= 400)
  .map(([status, response]) => `<tr><th>${escaped(status)}</th><td>${prose(response.description ?? "")}</td></tr>`)
  .join("")}</table></details></section>`

const parametersHtml = (contract: Contract, operation: Operation): string => {
  const rows = operation.parameters.map((each) => {
    const parameter = resolveParameter(contract, each)
    const details = [
      parameter.in,
      typeOf(parameter.schema),
      limitsOf(parameter.schema),
      parameter.required === true ? "required" : ""
    ]
    return `<tr><th><code>${escaped(parameter.name ?? "")}</code></th><td>${escaped(details.filter(Boolean).join(", "))}</td><td>${prose(parameter.description ?? "")}</td></tr>`
  })
  return rows.length === 0 ? "" : `<table>${rows.join("")}</table>`
}

const exampleHtml = (title: string, content: ContentDoc): string =>
  Object.values(content ?? {})
    .map(({ example, schema }) => {
      const shown = typeof example === "string" ? example : JSON.stringify(example, null, 2)
      return `<details><summary>${escaped(title)}: ${typeLink(schema)}</summary><pre>${escaped(shown)}</pre></details>`
    })
    .join("")

type ContentDoc = Readonly<Record<string, { readonly schema?: SchemaDoc; readonly example?: unknown }>> | undefined

const typeLink = (schema: SchemaDoc | undefined): string =>
  schema?.$ref === undefined
    ? `<code>${escaped(typeOf(schema))}</code>`
    : `<a href="#schema-${escaped(typeOf(schema))}"><code>${escaped(typeOf(schema))}</code></a>`

const fieldsHtml = (schema: SchemaDoc): string => {
  const required = new Set(schema.required ?? [])
  const rows = Object.entries(schema.properties ?? {})
    .filter(([, field]) => field.readOnly !== true)
    .map(([name, field]) => {
      const details = [typeOf(field), required.has(name) ? "required" : "", limitsOf(field)].filter(
        (part) => part !== ""
      )
      return `<tr><th><code>${escaped(name)}</code></th><td>${escaped(details.join(", "))}</td><td>${prose(field.description ?? "")}</td></tr>`
    })
  return rows.length === 0 ? `<p><code>${escaped(typeOf(schema))}</code></p>` : `<table>${rows.join("")}</table>`
}
