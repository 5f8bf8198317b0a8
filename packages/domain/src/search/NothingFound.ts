/** What to try after a search without results. */
export const nothingFound = (query: string): string =>
  /\S\s+\S/.test(query)
    ? "No title or text has these words side by side. Search for one of them."
    : "No title or text has this. Search for a shorter part of it, or another word. Notes and tags are not searched."
