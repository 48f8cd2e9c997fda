/** Converts epoch milliseconds to ISO 8601. */
export const iso = (millis: number): string => new Date(millis).toISOString()
export const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))
