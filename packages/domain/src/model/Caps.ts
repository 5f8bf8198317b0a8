/** The most that one request, one field or one answer may hold; characters are code points (docs/decisions.md#caps). */
export const caps = {
  text: 10_000,
  note: 1_000_000,
  markdown: 1_000_000,
  /** Things that one markdown document brings. */
  documentThings: 20_000,
  title: 1_000,
  tag: 100,
  tags: 50,
  url: 8_192,
  photos: 10,
  items: 500,
  tabs: 1_000,
  /** Lists, and things, that one search answers. */
  searchResults: 50
} as const
