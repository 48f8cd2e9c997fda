// A content hash identifies the text that a vector was computed from. Passages and vector rows store it as two words.

/** A hash has 16 hexadecimal digits. It never consists of two zero words. */
export const splitContentHash = (contentHash: string | undefined): [high: number, low: number] =>
  contentHash === undefined
    ? [0, 0]
    : [Number.parseInt(contentHash.slice(0, 8), 16), Number.parseInt(contentHash.slice(8, 16), 16)]

export const joinContentHash = (high: number, low: number): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
