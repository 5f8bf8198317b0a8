import { normalize } from "@lists-and-things/domain/text/Normalization"

/** A file name valid on every system: forbidden characters become `-`; at most 80 characters. */
export const fileName = (title: string): string => {
  const safe = normalize(title)
    .replaceAll(/[\p{C}<>:"/\\|?*]+/gu, "-")
    .replaceAll(/\s+/g, " ")
    .trim()
  const cut = [...safe]
    .slice(0, 80)
    .join("")
    .replaceAll(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, "")
  return cut === "" || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(cut) ? `list ${cut}`.trim() : cut
}

/** Generates names that are unique ignoring case: `a.md`, `A 2.md`. */
export const uniqueNames = (): ((base: string, ending: string) => string) => {
  const taken = new Set<string>()
  return (base, ending) => {
    for (let number = 1; ; number++) {
      const name = `${base}${number === 1 ? "" : ` ${number}`}${ending}`
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      return name
    }
  }
}
