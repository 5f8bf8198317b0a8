import {
  type BodyDoc,
  type Contract,
  fieldsOf,
  limitsOf,
  type Operation,
  operationsOf,
  resolveParameter,
  type SchemaDoc,
  typeOf
} from "./Contract.ts"
import { Html, html } from "../pages/Html.ts"
import { pageHead, pageHeader, scriptTag } from "../pages/Page.ts"
import { framePath } from "../pages/AssetPaths.ts"
import { bundlePath, startPath } from "./Reference.ts"

/** Text with backticks as code and blank lines between paragraphs. */
const prose = (text: string): Html =>
  html`${text.split("\n\n").map((paragraph, at) => html`${at > 0 && paragraphBreak}${codeIn(paragraph)}`)}`

const paragraphBreak = new Html("</p><p>")

const codeIn = (text: string): ReadonlyArray<Html> =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

/** The interface description as an HTML page, which the reference replaces where scripts run. */
export const docsPage = (document: Record<string, unknown>): string => {
  const contract = document as unknown as Contract
  const operations = operationsOf(contract)
  const body = contract.tags.map((tag) => {
    const own = operations.filter((operation) => operation.tags.includes(tag.name))
    return html`<h2>${tag.name}</h2><p>${prose(tag.description ?? "")}</p>${own.map((each) => operationHtml(contract, each))}`
  })
  const links = operations.map((each) => html`<li><a href="#${each.operationId}">${each.method} ${each.path}</a></li>`)
  const objects = Object.entries(contract.components.schemas).map(
    ([name, schema]) => html`<section id="schema-${name}"><h3>${name}</h3>${fieldsHtml(schema)}</section>`
  )
  const scripts = html`<link rel="stylesheet" href="${framePath}" />${scriptTag}<script src="${bundlePath}" defer></script><script src="${startPath}" defer></script>`
  return html`<!doctype html>
<html lang="en"><head>${pageHead(`${contract.info.title} API`, scripts)}</head><body class="reference">
${pageHeader({ signedInAs: "Account" })}
<main id="main" class="docs" tabindex="-1"><div id="plain">
<h1>${contract.info.title} API ${contract.info.version}</h1>
<p>${prose(contract.info.description)}</p>
<p>Base address: <code>${contract.servers[0]?.url}</code>. The same as <a href="api/v1/openapi.json">OpenAPI 3.1</a> and as <a href="llms.txt">plain text</a>.</p>
<nav aria-label="Operations"><ul>${links}</ul></nav>
${body}
<h2>Objects</h2>
${objects}
</div><div id="reference"></div></main>
</body></html>
`.text
}

const operationHtml = (contract: Contract, operation: Operation): Html => html`<section id="${operation.operationId}">
<h3><span class="method">${operation.method}</span> <code>${operation.path}</code></h3>
<p><strong>${operation.summary}.</strong> <span class="scope">${operation["x-required-scope"]}</span></p>
<p>${prose(operation.description ?? "")}</p>
${parametersHtml(contract, operation)}
${exampleHtml("Request body", operation.requestBody?.content)}
${Object.entries(operation.responses)
  .filter(([status]) => Number(status) < 400)
  .flatMap(([status, response]) => exampleHtml(status, response.content))}
<details><summary>Errors</summary><table>${Object.entries(operation.responses)
  .filter(([status]) => Number(status) >= 400)
  .map(
    ([status, response]) => html`<tr><th>${status}</th><td>${prose(response.description ?? "")}</td></tr>`
  )}</table></details></section>`

const parametersHtml = (contract: Contract, operation: Operation): Html | false => {
  const rows = operation.parameters.map((each) => {
    const parameter = resolveParameter(contract, each)
    const details = [
      parameter.in,
      typeOf(parameter.schema),
      limitsOf(parameter.schema),
      parameter.required === true ? "required" : ""
    ]
    return html`<tr><th><code>${parameter.name}</code></th><td>${details.filter(Boolean).join(", ")}</td><td>${prose(parameter.description ?? "")}</td></tr>`
  })
  return rows.length > 0 && html`<table>${rows}</table>`
}

const exampleHtml = (title: string, content: BodyDoc["content"]): ReadonlyArray<Html> =>
  Object.entries(content ?? {}).map(([type, { example, schema }]) => {
    const shown = typeof example === "string" ? example : JSON.stringify(example, null, 2)
    const kind = type.startsWith("application/json") ? typeOf(schema) : type
    return html`<details><summary>${title}: <code>${kind}</code></summary>${fieldsLink(schema)}<pre tabindex="0">${shown}</pre></details>`
  })

const fieldsLink = (schema: SchemaDoc | undefined): Html | false =>
  schema?.$ref !== undefined && html`<p><a href="#schema-${typeOf(schema)}">The fields of ${typeOf(schema)}</a></p>`

const fieldsHtml = (schema: SchemaDoc): Html => {
  const rows = fieldsOf(schema).map(
    ({ description, details, path }) =>
      html`<tr><th><code>${path}</code></th><td>${details}</td><td>${prose(description)}</td></tr>`
  )
  return rows.length === 0 ? html`<p><code>${typeOf(schema)}</code></p>` : html`<table>${rows}</table>`
}
