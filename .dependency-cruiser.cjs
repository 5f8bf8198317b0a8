/** Which package may import which: bin -> hosts, adapters, domain; hosts -> domain; adapters -> domain; domain -> effect. */
const hosts = "^packages/(http|mcp|cli)/"
const adapters = "^packages/storage-[a-z]+/"

module.exports = {
  forbidden: [
    {
      name: "domain-stands-alone",
      comment: "The domain knows neither hosts nor adapters nor the platform it runs on.",
      severity: "error",
      from: { path: "^packages/domain/src/", pathNot: "^packages/domain/src/testing/" },
      to: { pathNot: "^packages/domain/|^node_modules/(effect|markdown-it|mdast|micromark)", dependencyTypesNot: ["type-only"] }
    },
    {
      name: "domain-only-markdown-parser",
      comment: "The one library beside effect is the markdown parser, and only the markdown folder uses it.",
      severity: "error",
      from: { path: "^packages/domain/src/", pathNot: "^packages/domain/src/(markdown|testing)/" },
      to: { path: "^node_modules/(markdown-it|mdast|micromark)" }
    },
    {
      name: "hosts-know-the-domain-alone",
      severity: "error",
      from: { path: hosts },
      to: { path: "^packages/(http|mcp|cli|storage-[a-z]+)/|^bin/", pathNot: "^packages/$1/" }
    },
    {
      name: "adapters-know-the-domain-alone",
      severity: "error",
      from: { path: adapters },
      to: { path: "^packages/(http|mcp|cli)/|^bin/" }
    },
    {
      name: "adapters-apart",
      severity: "error",
      from: { path: "^packages/(storage-[a-z]+)/" },
      to: { path: "^packages/storage-[a-z]+/", pathNot: "^packages/$1/" }
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "dynamic-import"] } } },
    { name: "resolvable", severity: "error", from: { pathNot: "/client-sample/" }, to: { couldNotResolve: true } }
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"], extensions: [".ts", ".js", ".mjs"] }
  }
}
