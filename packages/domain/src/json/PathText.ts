/** What a value is called within a body or the arguments of a tool, such as `items[37].text`; keys are cut. */
export const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? shortened(key) : `${text}.${shortened(key)}`,
    ""
  )

const shortened = (key: PropertyKey): string => {
  if (key === "") return '""'
  const characters = [...String(key).slice(0, 100)]
  return characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : characters.join("")
}
