#!/usr/bin/env node
import { forServers, launch } from "./launch.mjs"

await launch("lat-mcp.ts", forServers)
