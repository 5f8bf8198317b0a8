// Runs the parse-server that is installed in PARSE_FOLDER.
import { createRequire } from "node:module"
import { join } from "node:path"

const require = createRequire(join(process.env.PARSE_FOLDER, "package.json"))
const { ParseServer } = require("parse-server")
const express = require("express")

const database = new URL(process.env.DATABASE_URL)
const port = Number(process.env.PORT)
const server = new ParseServer({
  appId: "bench",
  masterKey: "bench",
  databaseURI: `postgres://postgres@localhost${database.pathname}`,
  // The folder of the socket, which parse-server does not read from the URI.
  databaseOptions: { host: database.searchParams.get("host") },
  serverURL: `http://127.0.0.1:${port}/parse`,
  allowClientClassCreation: true,
  logsFolder: null,
  logLevel: "error",
  silent: true
})
await server.start()
express().use("/parse", server.app).listen(port, "127.0.0.1")
process.on("SIGTERM", () => process.exit(0))
