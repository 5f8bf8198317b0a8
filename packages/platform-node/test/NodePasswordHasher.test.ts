import { PasswordHasher } from "@lists-and-things/domain/caller/PasswordHasher"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "@effect/vitest"
import * as NodePasswordHasher from "../src/NodePasswordHasher.ts"

const password = Redacted.make("correct horse")

describe("a password's hash", () => {
  it.effect("verifies only its password, and differs each time", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const first = yield* hasher.hash(password)
      expect(first).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
      expect(yield* hasher.hash(password)).not.toBe(first)
      expect(yield* hasher.verify(password, first)).toBe(true)
      expect(yield* hasher.verify(Redacted.make("correct horse "), first)).toBe(false)
    }).pipe(Effect.provide(NodePasswordHasher.layer))
  )

  it.effect("is verified with the parameters that it contains", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      // scrypt("correct horse", "salt", N=1024, r=8, p=1) as computed by Python's hashlib.
      const old = "$scrypt$ln=10,r=8,p=1$c2FsdA==$+jRLtWGqwbUzRvMN4+1uXPEu+5SPbkMPyA7E6CwOjKs="
      expect(yield* hasher.verify(password, old)).toBe(true)
      for (const other of ["", "plain", "$scrypt$ln=10,r=8$c2FsdA==$AAAA", old.replace("ln=10", "ln=11")]) {
        expect(yield* hasher.verify(password, other)).toBe(false)
      }
    }).pipe(Effect.provide(NodePasswordHasher.layer))
  )
})
