import { describe, expect, it } from "@effect/vitest"
import { type Schema, SchemaAST } from "effect"
import { accountJson } from "@lists-and-things/domain/json/AccountJson"
import { CreateListInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { placeJson, SavePlaceInput } from "@lists-and-things/domain/json/PlaceJson"
import {
  BulkSetInput,
  CreateThingInput,
  ListItemInput,
  UpdateThingInput
} from "@lists-and-things/domain/json/ThingInput"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { isEmptyPatch } from "@lists-and-things/domain/things/ThingPatch"
import { account, list, place, thing } from "@lists-and-things/testing/Fixtures"

const snakeCase = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of an entity by their names in JSON, without those that clients do not see. */
const shown = (entity: object, hidden: ReadonlyArray<string>, renamed: Readonly<Record<string, string>> = {}) =>
  Object.keys(entity)
    .filter((field) => !hidden.includes(field))
    .map((field) => renamed[field] ?? snakeCase(field))
    .toSorted()

const fieldsOf = (json: object): ReadonlyArray<string> => Object.keys(json).toSorted()

const owner = account()
const home = list(owner.id)
const made = thing(owner.id, home.id)

/** Set by the product: `markup` comes from documents; requests name a list, an original and a time differently. */
const given = ["id", "owner", "listId", "position", "cloneOf", "hasClones", "markup", "created", "updated"]

const settable = Object.keys(made).filter((field) => !given.includes(field))

/** The names of a request's fields in the domain. */
const namesIn = ({ ast }: Schema.Top): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const setting = (field: string): object => ({ [field]: made[field as keyof typeof made] })

describe("every field", () => {
  it("of a thing is in its JSON", () => {
    expect(fieldsOf(thingJson(made))).toEqual(shown(made, ["owner", "position", "markup"]))
  })

  it("of a list is in its JSON, with `today` in place of `day`", () => {
    expect(fieldsOf(listJson(home, "2026-11-21"))).toEqual(shown(home, ["owner"], { day: "today" }))
  })

  it("of a place is in its JSON", () => {
    const renamed = { radiusMeters: "radius_m" }
    expect(fieldsOf(placeJson(place(owner.id)))).toEqual(shown(place(owner.id), ["owner"], renamed))
  })

  it("of an account is in its JSON", () => {
    expect(fieldsOf(accountJson(owner))).toEqual(shown(owner, ["created"]))
  })

  it("of a thing can be set on creation and by an update; by a bulk update all but text, note and photos", () => {
    expect(namesIn(CreateThingInput)).toEqual(expect.arrayContaining(settable))
    expect(namesIn(ListItemInput)).toEqual(expect.arrayContaining(settable))
    expect(namesIn(UpdateThingInput)).toEqual(expect.arrayContaining(settable))
    const ofMany = settable.filter((field) => !["text", "note", "photos"].includes(field))
    expect(namesIn(BulkSetInput)).toEqual(expect.arrayContaining(ofMany))
  })

  it("of a thing that a request can set makes a patch non-empty", () => {
    expect(settable.filter((field) => isEmptyPatch(setting(field)))).toEqual([])
  })

  it("of a list and of a place can be set, except those that the product sets", () => {
    const ofList = Object.keys(home).filter((field) => !["id", "owner", "day", "created", "updated"].includes(field))
    expect(namesIn(CreateListInput)).toEqual(expect.arrayContaining(ofList))
    expect(namesIn(UpdateListInput)).toEqual(expect.arrayContaining(ofList))
    const ofPlace = Object.keys(place(owner.id)).filter((field) => !["id", "owner"].includes(field))
    expect(namesIn(SavePlaceInput)).toEqual(expect.arrayContaining(ofPlace))
  })
})
