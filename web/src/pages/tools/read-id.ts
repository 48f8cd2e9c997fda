/** The id of an object in an address. Null if it cannot be one. */
export const readId = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)
