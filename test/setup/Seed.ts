import { configureGlobal } from "fast-check"

/** Every run generates the same input; `LAT_SEED=7 npm test` uses another seed, and a failure names its seed. */
configureGlobal({ seed: Number(process.env["LAT_SEED"] ?? 20_261_121) })
