import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { afterAll } from "@effect/vitest"
import { answerCacheTests } from "./AnswerCache.ts"
import { dryRunTests } from "./DryRuns.ts"
import { contract } from "./Given.ts"
import { preconditionTests } from "./Preconditions.ts"
import { postgresServer } from "./TestServer.ts"

/** What depends on transactions and on what other statements see, over PostgreSQL as well. */
const postgres = await openTestDatabase({ version: 18 })
afterAll(() => postgres.stop())

contract("preconditions over PostgreSQL", preconditionTests, postgresServer(postgres.url()))
contract("dry runs over PostgreSQL", dryRunTests, postgresServer(postgres.url()))
contract("answers that are given again over PostgreSQL", answerCacheTests, postgresServer(postgres.url()))
