// How long a condition must be gone before its end is reported. The first time in a day that is at once. A condition that
// comes and goes has to stay away longer each time, so that it sends few messages and not one pair for each change.

/** The times of a day that count. */
export const FLAP_WINDOW_MS = 86_400_000

const MINUTE_MS = 60_000
const DELAYS_MS = [0, 5 * MINUTE_MS, 30 * MINUTE_MS] as const
const MAX_DELAY_MS = 120 * MINUTE_MS

/** `closings`: how often an alert of the same condition was closed within the window. */
export const closingDelayMs = (closings: number): number => DELAYS_MS[closings] ?? MAX_DELAY_MS
