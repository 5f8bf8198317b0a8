import { normalize } from "@lists-and-things/domain/text/Normalization"
import { collapsed } from "@lists-and-things/domain/text/Quoted"

/**
 * Within the 255 bytes of most file systems, with room for a number, an ending and the ending of an unfinished file.
 */
const max = { characters: 80, bytes: 200 }

/** A file name valid on every system: forbidden characters become `-`; at most 80 characters and 200 bytes. */
export const fileName = (title: string): string => {
  const safe = collapsed(normalize(title).replaceAll(/[\p{C}<>:"/\\|?*]+/gu, "-"))
  const cut = beginning(safe).replaceAll(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, "")
  return cut === "" || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cut) ? `list ${cut}`.trim() : cut
}

const beginning = (text: string): string => {
  const characters = [...text].slice(0, max.characters)
  while (Buffer.byteLength(characters.join("")) > max.bytes) characters.pop()
  return characters.join("")
}

/** Generates names that are unique ignoring case: `a.md`, `A 2.md`. */
export const uniqueNames = (): ((base: string, ending: string) => string) => {
  const taken = new Set<string>()
  /** The first number that may be free, by base and ending: lists of one title are numbered in linear time. */
  const numbers = new Map<string, number>()
  return (base, ending) => {
    const key = `${base}/${ending}`.toLowerCase()
    for (let number = numbers.get(key) ?? 1; ; number++) {
      const name = `${base}${number === 1 ? "" : ` ${number}`}${ending}`
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      numbers.set(key, number + 1)
      return name
    }
  }
}
