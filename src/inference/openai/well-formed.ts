// Makes streamed text safe to store and show: removes NUL and unpaired surrogates. Half a pair at the end of a piece
// waits for the other half.

export interface WellFormedStream {
  push(text: string): string
  end(): string
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

export function createWellFormedStream(): WellFormedStream {
  let pendingHalf = ''
  return {
    push(text) {
      const whole = pendingHalf + text
      pendingHalf = isHigh(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : ''
      return cleanText(whole.slice(0, whole.length - pendingHalf.length))
    },
    end: () => cleanText(pendingHalf),
  }
}

/** For a complete text. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed()
