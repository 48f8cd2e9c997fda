/** A parameter of the address as a text. The router reads digits as a number. */
export const textOf = (it: unknown): string => (typeof it === 'string' || typeof it === 'number' ? String(it) : '')
