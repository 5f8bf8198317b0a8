/** The version of the product, as `package.json` has it; part of tags, since another version may show the same otherwise. */
export const productVersion = "1.0.0"
