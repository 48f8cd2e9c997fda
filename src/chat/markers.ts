// Where does a text that comes in pieces say [1], and where does it only look so? Code is not touched.

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  /** Markers that stand beside each other are one. */
  | { type: 'marker'; numbers: readonly number[] }

export interface Scanner {
  /** What is certain by now; the same whichever way the text is cut. */
  write(text: string): Piece[]
  end(): Piece[]
}

/** What the rest of the buffer begins with: so many units of it, or nothing that is certain yet. */
type Step = { length: number; pieces: Piece[] } | 'more'

const MAX_MARKER = 96
const MAX_ADDRESS = 2_048
const MAX_INLINE_CODE = 1_000
const MAX_INFO = 200
/** "[1-400]" is no list that anybody wrote to be read. */
const MAX_RANGE = 10

export function createScanner(): Scanner {
  let buffer = ''
  let fence: string | null = null
  let isLineStart = true

  const next = (isEnd: boolean): Step => {
    if (fence !== null) return insideFence(buffer, fence, { isLineStart, isEnd })
    const plain = buffer.search(/[[【`~\n]/)
    if (plain !== 0) return textOf(plain < 0 ? buffer : buffer.slice(0, plain))
    const first = buffer[0]!
    if (first === '\n') return textOf(first)
    if (first === '[' || first === '【') return markerAt(buffer, isEnd)
    return ticksAt(buffer, { isLineStart, isEnd })
  }

  const scan = (isEnd: boolean): Piece[] => {
    const pieces: Piece[] = []
    while (buffer !== '') {
      const step = next(isEnd)
      if (step === 'more') break
      const taken = buffer.slice(0, step.length)
      buffer = buffer.slice(step.length)
      fence = fenceAfter(taken, step.pieces, fence, isLineStart)
      isLineStart = /(?:^|\n)[ \t]*$/.test(taken) && (isLineStart || taken.includes('\n'))
      pieces.push(...step.pieces)
    }
    return pieces
  }

  return {
    write(text) {
      buffer += text
      return scan(false)
    },
    end: () => scan(true),
  }
}

const textOf = (text: string): Step => ({ length: text.length, pieces: [{ type: 'text', text }] })
const codeOf = (text: string): Step => ({ length: text.length, pieces: [{ type: 'code', text }] })

interface Place {
  isLineStart: boolean
  isEnd: boolean
}

/** A line of a block of code, or what there is of it. */
function insideFence(buffer: string, fence: string, { isLineStart, isEnd }: Place): Step {
  const lineEnd = buffer.indexOf('\n')
  if (lineEnd >= 0) return codeOf(buffer.slice(0, lineEnd + 1))
  const mayClose = isLineStart && /^[ \t]*[`~]*[ \t]*$/.test(buffer) && buffer.length < fence.length + MAX_INFO
  return mayClose && !isEnd ? 'more' : codeOf(buffer)
}

function fenceAfter(taken: string, [piece]: readonly Piece[], fence: string | null, isLineStart: boolean) {
  if (!isLineStart || piece?.type !== 'code') return fence
  const run = /^[ \t]*(`{3,}|~{3,})/.exec(taken)?.[1]
  if (run === undefined) return fence
  if (fence === null) return taken.endsWith('\n') || !taken.slice(run.length).includes('`') ? run : null
  const closes = run[0] === fence[0] && run.length >= fence.length && /^[ \t]*[`~]+[ \t]*\n?$/.test(taken)
  return closes ? null : fence
}

/** A block of code begins, or code within a line; else these are signs like others. */
function ticksAt(buffer: string, { isLineStart, isEnd }: Place): Step {
  const run = /^(?:`+|~+)/.exec(buffer)![0]
  if (run.length === buffer.length && !isEnd) return 'more'
  const lineEnd = buffer.indexOf('\n')
  const line = lineEnd < 0 ? buffer : buffer.slice(0, lineEnd + 1)
  const isWhole = lineEnd >= 0 || isEnd
  if (isLineStart && run.length >= 3 && !(run[0] === '`' && line.slice(run.length).includes('`'))) {
    return isWhole || line.length > MAX_INFO ? codeOf(line) : 'more'
  }
  if (run[0] === '~') return textOf(run)
  const close = closingTicks(line, run)
  if (close > 0) return close < line.length || isWhole ? codeOf(line.slice(0, close)) : 'more'
  return isWhole || line.length > MAX_INLINE_CODE ? textOf(run) : 'more'
}

/** The end of the code that so many ticks open; 0 if the line does not close it. */
function closingTicks(line: string, run: string): number {
  for (const { 0: ticks, index } of line.slice(0, MAX_INLINE_CODE).matchAll(/`+/g)) {
    if (index > 0 && ticks.length === run.length) return index + run.length
  }
  return 0
}

const LIST = String.raw`\d{1,6}(?:\s*(?:[,;&–—-]|and|und|et|y|to)\s*#?\d{1,6}){0,19}`
const WORD = String.raw`(?:(?:passages?|sources?|documents?|docs?|references?|refs?|citations?)\s*)?[#^]?\s*`
const MARKERS = [
  new RegExp(String.raw`^\[\[\s*${WORD}(${LIST})\s*\]\]`, 'i'),
  new RegExp(String.raw`^\[\s*${WORD}(${LIST})\s*\]`, 'i'),
  new RegExp(String.raw`^【\s*${WORD}(${LIST})(?::\d+)?\s*(?:†[^】\n]*)?】`, 'i'),
]
/** What may become a marker yet. */
const BEGINNING = /^(?:\[\[?|【)\s*[a-z]{0,10}\s*[#^]?(?:[\d\s,;:&#–—-]|an?|and|un?|und|et?|y|to?)*(?:†[^】\n]*)?\]?$/i

/** A marker and those that follow it at once, or a bracket like others. */
function markerAt(buffer: string, isEnd: boolean): Step {
  const numbers: number[] = []
  let length = 0
  for (;;) {
    const one = oneMarker(buffer.slice(length), isEnd)
    if (one === 'more') return 'more'
    if (one === null) break
    numbers.push(...one.numbers)
    const gap = /^[ \t]{0,2}/.exec(buffer.slice(length + one.length))![0].length
    length += one.length
    const following = buffer[length + gap]
    if (following === undefined && !isEnd) return 'more'
    if (following !== '[' && following !== '【') return { length, pieces: [{ type: 'marker', numbers }] }
    if (oneMarker(buffer.slice(length + gap), isEnd) === null) break
    length += gap
  }
  return length === 0 ? textOf(buffer[0]!) : { length, pieces: [{ type: 'marker', numbers }] }
}

function oneMarker(text: string, isEnd: boolean): { numbers: readonly number[]; length: number } | null | 'more' {
  const match = MARKERS.map((it) => it.exec(text)).find((it) => it !== null)
  if (!match) return !isEnd && text.length <= MAX_MARKER && BEGINNING.test(text) ? 'more' : null
  const numbers = numbersOf(match[1]!)
  // "in [0, 1]" is an interval.
  if (numbers.length > 1 && numbers.includes(0)) return null
  const rest = text.slice(match[0].length)
  if (rest === '' && !isEnd) return 'more'
  if (!rest.startsWith('(')) return { numbers, length: match[0].length }
  const address = /^\([^()\s]*\)/.exec(rest)
  if (address !== null) return { numbers, length: match[0].length + address[0].length }
  const isOpen = !isEnd && rest.length <= MAX_ADDRESS && /^\([^()\s]*$/.test(rest)
  return isOpen ? 'more' : { numbers, length: match[0].length }
}

function numbersOf(list: string): number[] {
  const parts = [...list.matchAll(/([–—-]|to)?\s*#?(\d+)/gi)]
  const numbers: number[] = []
  for (const [, to, digits] of parts) {
    const number = Number(digits)
    const from = numbers.at(-1)
    if (to !== undefined && from !== undefined && number > from && number - from <= MAX_RANGE) {
      for (let it = from + 1; it < number; it++) numbers.push(it)
    }
    numbers.push(number)
  }
  return [...new Set(numbers)]
}
