// Texts as they can be kept and shown: without NUL, and without half a character. A half at the end of a piece waits for
// the other one, which comes with the next.

export interface WellFormed {
  push(text: string): string
  end(): string
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

export function wellFormed(): WellFormed {
  let half = ''
  return {
    push(text) {
      const whole = half + text
      half = isHigh(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : ''
      return clean(whole.slice(0, whole.length - half.length))
    },
    end: () => clean(half),
  }
}

/** Of a text that is whole. */
export const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
