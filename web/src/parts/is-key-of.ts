/** Tells whether a text, such as the value of a select, is one of the keys. */
export const isKeyOf = <T extends object>(record: T, text: PropertyKey): text is keyof T => Object.hasOwn(record, text)
