// Turns the answer of the recognising model into text.

export interface LineProbabilities {
  /** For each step from left to right, the probability of each class. Class 0 is "no character". */
  values: Float32Array
  steps: number
}

export interface DecodedLine {
  text: string
  /** The mean over the characters, 0 to 1; 0 if there are none. */
  confidence: number
  characters: number
}

/** The model is shy with spaces: between characters, this much is enough. Measured on clean print and photographs. */
const MIN_SPACE_PROBABILITY = 0.05

/** The characters are those of classes 1 and up. The last one is the space. */
export function decodeLine({ values, steps }: LineProbabilities, characters: readonly string[]): DecodedLine {
  const classes = characters.length + 1
  const space = characters.length
  let text = ''
  let sum = 0
  let count = 0
  let previous = 0
  let spaceBetween = 0
  for (let step = 0; step < steps; step++) {
    const start = step * classes
    const best = bestClass(values, start, classes)
    if (best === 0) spaceBetween = Math.max(spaceBetween, values[start + space] ?? 0)
    else if (best !== previous) {
      const character = characters[best - 1] ?? ''
      const isApart = spaceBetween > MIN_SPACE_PROBABILITY && best !== space
      if (isApart && text !== '' && !text.endsWith(' ')) text += ' '
      text += character
      sum += values[start + best] ?? 0
      count++
      spaceBetween = 0
    }
    previous = best
  }
  return { text: text.trim(), confidence: count === 0 ? 0 : sum / count, characters: count }
}

function bestClass(values: Float32Array, start: number, classes: number): number {
  let best = 0
  let highest = values[start] ?? 0
  if (highest > 0.5) return best
  for (let it = 1; it < classes; it++) {
    const value = values[start + it] ?? 0
    if (value <= highest) continue
    highest = value
    best = it
    // They add up to 1, so no other one is higher.
    if (value > 0.5) break
  }
  return best
}
