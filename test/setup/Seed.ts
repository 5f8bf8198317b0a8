import { configureGlobal } from "fast-check"

/** Every run generates the same; `LAT_SEED=7 npm test` looks elsewhere, and a failure names the seed it had. */
configureGlobal({ seed: Number(process.env["LAT_SEED"] ?? 20_261_121) })
