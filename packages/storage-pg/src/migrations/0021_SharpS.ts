/** A capital ẞ folded to ß; both fold to `ss` now. Keys of tags and places follow when they are written again. */
export const version = 21
export const name = "SharpS"
export const statements: ReadonlyArray<string> = [
  `update lists set search = replace(search, 'ß', 'ss'), title_key = replace(title_key, 'ß', 'ss')
    where search like '%ß%' or title_key like '%ß%'`,
  "update things set search = replace(search, 'ß', 'ss') where search like '%ß%'"
]
