import { afterAll, describe, expect, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Distribution } from "@lists-and-things/domain/ports/Distribution"
import { Effect } from "effect"
import { ownedTables } from "../src/OwnedTables.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { schemaLint } from "../src/testing/SchemaLint.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const findings = async () => (await server.sql(schemaLint)).map(({ text }) => String(text))

  /** The findings with this change, which is rolled back. */
  const findingsWith = (change: string) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* PgConnection.make({ url: server.url() })
          for (const command of ["begin", ...change.split(";")]) yield* connection.query(command)
          const { rows } = yield* connection.query(schemaLint)
          yield* connection.query("rollback")
          return rows.map(({ text }) => String(text))
        })
      )
    )

  it(`PostgreSQL ${version}: no array of ids in the history is compressed`, async () => {
    const storages = await server.sql(`select distinct attstorage::text as storage from pg_attribute
      where attrelid in ('operations'::regclass, 'operation_images'::regclass) and atttypid = 'uuid[]'::regtype`)
    expect(storages).toStrictEqual([{ storage: "e" }])
  })

  it(`PostgreSQL ${version}: every foreign key has an index on the referencing columns`, async () => {
    const unindexed = await server.sql(`select k.conrelid::regclass || ': ' || k.conname as text from pg_constraint k
      where k.contype = 'f' and not exists (
        select from pg_index i where i.indrelid = k.conrelid
          and k.conkey @> (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(k.conkey)]
      )`)
    expect(unindexed).toStrictEqual([])
  })

  it(`PostgreSQL ${version}: what refers to an account is deleted in chunks before it`, async () => {
    const referring = await server.sql(`select k.conrelid::regclass::text as table from pg_constraint k
      where k.contype = 'f' and k.confrelid = 'accounts'::regclass`)
    expect(ownedTables.map(({ table }) => table)).toStrictEqual(
      expect.arrayContaining(referring.map(({ table }) => table))
    )
  })

  describe(`PostgreSQL ${version}: distribution by owner`, () => {
    it("is possible: no constraint spans accounts, and every table is deleted with its account", async () => {
      expect(await findings()).toStrictEqual([])
    })

    it.each([
      ["create unique index things_text on things (text_hash)", /^The unique index things_text of things is without/],
      ["alter table places add unique (id)", /^The unique index places_id_key of places is without the owner/],
      [
        "alter table reminders add constraint one_place foreign key (owner_id) references accounts (id)",
        /^The foreign key one_place ties reminders to accounts/
      ],
      [
        `alter table places add unique (id), add owner_list uuid;
        alter table things add constraint its_place foreign key (list_id) references places (id)`,
        /^The foreign key its_place of things is without the owner/
      ],
      [
        `alter table things add constraint its_list foreign key (owner_id, list_ref) references lists (owner_id, id)
          on delete set null (list_ref)`,
        /^The foreign key its_list of things sets a column/
      ],
      [
        "create table hooks (owner_id uuid not null, id uuid not null, primary key (owner_id, id))",
        /^hooks is not deleted with its account/
      ]
    ])("is prevented by: %s", async (statement, expected) => {
      const found = await findingsWith(statement)
      expect(found.filter((text) => expected.test(text))).toHaveLength(1)
      expect(await findings()).toStrictEqual([])
    })

    it("is refused without Citus, and the message names what is missing", async () => {
      const error = await Effect.runPromise(
        Effect.gen(function* () {
          const distribution = yield* Distribution
          expect(yield* distribution.state).toBeUndefined()
          return yield* Effect.flip(distribution.distribute)
        }).pipe(Effect.provide(PgStorage.layer(server.config())))
      )
      expect(error._tag === "Conflict" && error.message).toMatch(
        /^The extension citus is not in this database: .* Nothing was changed\.$/
      )
    })
  })
}
