// Patterns of SQL that compare texts alike in both databases.

/** As `lower` treats columns in both databases: only the letters of ASCII change. */
export const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (it) => it.toLowerCase())

/** Finds the text in a column of lower case, with `escape '\\'`. */
export const likePart = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
