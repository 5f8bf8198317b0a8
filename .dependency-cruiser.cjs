/** Which package may import which: bin -> hosts, adapters, domain; hosts -> domain, web; cli -> settings; settings -> domain, web; web -> domain; adapters -> domain; domain -> effect. */
const hosts = "^packages/(http|mcp|cli)/"
const adapters = "^packages/(storage-[a-z]+|platform-node)/"

/** The layers of the domain from the bottom: a folder imports values from the layers below it and from its own, never from above. */
const layers = [
  ["text", "scheduling"],
  ["model"],
  ["days", "ports"],
  ["markdown", "recurrence", "summaries"],
  ["json"],
  ["targets"],
  ["backup", "caller", "history", "housekeeping", "lists", "places", "preconditions", "reminders", "search", "servers", "signin", "size", "tags", "things", "webhooks"]
]
const folders = (of) => `^packages/domain/src/(${of.flat().join("|")})/`
const upwards = layers.slice(0, -1).map((layer, at) => ({
  name: "domain-layers",
  comment: `What is in ${layer.join(" and ")} knows nothing of what is built on it.`,
  severity: "error",
  from: { path: folders(layer) },
  to: { path: folders(layers.slice(at + 1)), dependencyTypesNot: ["type-only"] }
}))

module.exports = {
  forbidden: [
    {
      name: "domain-stands-alone",
      comment: "The domain knows neither hosts nor adapters nor the platform it runs on.",
      severity: "error",
      from: { path: "^packages/domain/src/" },
      to: {
        pathNot: "^packages/domain/|^node_modules/(effect|markdown-it|jsonc-parser)/",
        dependencyTypesNot: ["type-only"]
      }
    },
    {
      name: "domain-only-markdown-parser",
      comment: "Only the markdown folder uses the markdown parser.",
      severity: "error",
      from: { path: "^packages/domain/src/", pathNot: "^packages/domain/src/markdown/" },
      to: { path: "^node_modules/markdown-it/" }
    },
    {
      name: "domain-json-positions",
      comment: "One module uses the JSON parser that knows positions.",
      severity: "error",
      from: { path: "^packages/domain/src/", pathNot: "^packages/domain/src/json/JsonLines\\.ts$" },
      to: { path: "^node_modules/jsonc-parser/" }
    },
    {
      name: "hosts-know-the-domain-alone",
      severity: "error",
      from: { path: hosts },
      to: { path: "^packages/(http|mcp|cli|storage-[a-z]+|platform-node)/|^bin/", pathNot: "^packages/$1/" }
    },
    {
      name: "web-knows-the-domain-alone",
      comment: "What the hosts share over HTTP knows none of them.",
      severity: "error",
      from: { path: "^packages/web/" },
      to: { path: "^packages/(?!(web|domain)/)|^bin/" }
    },
    {
      name: "telemetry-knows-the-domain-and-web",
      severity: "error",
      from: { path: "^packages/telemetry/" },
      to: { path: "^packages/(?!(telemetry|web|domain)/)|^bin/" }
    },
    {
      name: "settings-know-no-program",
      comment:
        "Programs read settings and pass them on. The servers' hosts are given values. What a database's URL may be is the adapter's to say.",
      severity: "error",
      from: { path: "^packages/settings/" },
      to: {
        path: "^packages/(?!(settings|web|domain)/)|^bin/",
        pathNot: "^packages/storage-pg/src/connection/DatabaseUrl.ts$"
      }
    },
    {
      name: "servers-are-given-values",
      severity: "error",
      from: { path: "^packages/(http|mcp)/" },
      to: { path: "^packages/settings/" }
    },
    {
      name: "adapters-know-the-domain-alone",
      severity: "error",
      from: { path: adapters },
      to: { path: "^packages/(web|settings|http|mcp|cli)/|^bin/" }
    },
    {
      name: "client-stands-alone",
      comment: "What runs elsewhere knows a server by its interface description alone.",
      severity: "error",
      from: { path: "^packages/client/src/" },
      to: { path: "^packages/(?!client/)|^bin/|^node_modules/effect/" }
    },
    {
      name: "adapters-apart",
      severity: "error",
      from: { path: "^packages/(storage-[a-z]+|platform-node)/" },
      to: { path: "^packages/(storage-[a-z]+|platform-node)/", pathNot: "^packages/$1/" }
    },
    {
      name: "suites-are-for-tests",
      comment: "The suites of ports and of behaviour are no part of what runs.",
      severity: "error",
      from: { path: "^(packages/(?!testing/)[a-z-]+/src|bin)/", pathNot: "/src/testing/" },
      to: { path: "^packages/testing/" }
    },
    ...upwards,
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } }
    },
    { name: "resolvable", severity: "error", from: { pathNot: "/client-sample/" }, to: { couldNotResolve: true } }
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".js", ".mjs"]
    }
  }
}
