// Finds citation markers such as [1] in streamed text. Code is left alone.

export type ScannedPiece =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  /** Adjacent markers form one piece. */
  | { type: 'marker'; numbers: readonly number[] }

export interface MarkerScanner {
  /** Returns what is certain so far; the result does not depend on where the text is split. */
  write(text: string): ScannedPiece[]
  end(): ScannedPiece[]
}

/** The next pieces and their length in the buffer, or `more` while they are uncertain. */
type ScanStep = { length: number; pieces: ScannedPiece[] } | 'more'

const MAX_MARKER = 96
/** Markers beyond this many in a row form another piece. */
const MAX_ADJACENT_MARKERS = 100
const MAX_ADDRESS = 2_048
const MAX_INLINE_CODE = 1_000
const MAX_INFO = 200
/** A longer range such as "[1-400]" is not expanded. */
const MAX_RANGE = 10

export function createMarkerScanner(): MarkerScanner {
  let buffer = ''
  let fence: string | null = null
  let isLineStart = true

  const next = (isEnd: boolean): ScanStep => {
    if (fence !== null) return scanFencedLine(buffer, fence, { isLineStart, isEnd })
    const plain = buffer.search(/[[【`~\n]/)
    if (plain !== 0) return textStep(plain < 0 ? buffer : buffer.slice(0, plain))
    if (buffer.startsWith('\n')) return textStep('\n')
    if (/^[[【]/.test(buffer)) return scanMarkers(buffer, isEnd)
    return scanBackticks(buffer, { isLineStart, isEnd })
  }

  const scan = (isEnd: boolean): ScannedPiece[] => {
    const pieces: ScannedPiece[] = []
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

const textStep = (text: string): ScanStep => ({ length: text.length, pieces: [{ type: 'text', text }] })
const codeStep = (text: string): ScanStep => ({ length: text.length, pieces: [{ type: 'code', text }] })

interface ScanPosition {
  isLineStart: boolean
  isEnd: boolean
}

/** One line of a fenced code block, or a part of it. */
function scanFencedLine(buffer: string, fence: string, { isLineStart, isEnd }: ScanPosition): ScanStep {
  const lineEnd = buffer.indexOf('\n')
  if (lineEnd >= 0) return codeStep(buffer.slice(0, lineEnd + 1))
  const mayClose = isLineStart && /^[ \t]*(?:[`~]+[ \t]*)?$/.test(buffer) && buffer.length < fence.length + MAX_INFO
  return mayClose && !isEnd ? 'more' : codeStep(buffer)
}

function fenceAfter(taken: string, [piece]: readonly ScannedPiece[], fence: string | null, isLineStart: boolean) {
  if (!isLineStart || piece?.type !== 'code') return fence
  const run = /^[ \t]*(`{3,}|~{3,})/.exec(taken)?.[1]
  if (run === undefined) return fence
  if (fence === null) return taken.endsWith('\n') || !taken.slice(run.length).includes('`') ? run : null
  const closes = run[0] === fence[0] && run.length >= fence.length && /^[ \t]*[`~]+[ \t]*\n?$/.test(taken)
  return closes ? null : fence
}

/** The start of a fenced block or inline code; otherwise plain text. */
function scanBackticks(buffer: string, { isLineStart, isEnd }: ScanPosition): ScanStep {
  const isTilde = buffer.startsWith('~')
  const runEnd = buffer.search(isTilde ? /[^~]/ : /[^`]/)
  const run = runEnd < 0 ? buffer : buffer.slice(0, runEnd)
  if (run.length === buffer.length && !isEnd) return 'more'
  const seen = buffer.slice(0, run.length + MAX_INLINE_CODE + 1)
  const lineEnd = seen.indexOf('\n')
  const line = lineEnd < 0 ? seen : seen.slice(0, lineEnd + 1)
  const isWhole = lineEnd >= 0 || (isEnd && seen.length === buffer.length)
  if (isLineStart && run.length >= 3 && (isTilde || !line.slice(run.length).includes('`'))) {
    return isWhole || line.length > MAX_INFO ? codeStep(line) : 'more'
  }
  if (isTilde) return textStep(run)
  const close = closingTicks(line, run)
  if (close > 0) return close < line.length || isWhole ? codeStep(line.slice(0, close)) : 'more'
  return isWhole || line.length > MAX_INLINE_CODE ? textStep(run) : 'more'
}

/** The end of the inline code that these ticks open; 0 if the line does not close it. */
function closingTicks(line: string, run: string): number {
  for (const { 0: ticks, index } of line.slice(0, MAX_INLINE_CODE).matchAll(/`+/g)) {
    if (index > 0 && ticks.length === run.length) return index + run.length
  }
  return 0
}

const NUMBER_LIST = String.raw`\d{1,6}(?:\s*(?:[,;&–—-]|and|und|et|y|to)\s*#?\d{1,6}){0,19}`
const WORD = String.raw`(?:(?:passages?|sources?|documents?|docs?|references?|refs?|citations?)\s*)?(?:[#^]\s*)?`
const MARKERS = [
  new RegExp(String.raw`^\[\[\s*${WORD}(${NUMBER_LIST})\s*\]\]`, 'i'),
  new RegExp(String.raw`^\[\s*${WORD}(${NUMBER_LIST})\s*\]`, 'i'),
  new RegExp(String.raw`^【\s*${WORD}(${NUMBER_LIST})(?::\d+)?\s*(?:†[^】\n]*)?】`, 'i'),
]
/** Text that may still become a marker; its words are checked separately. */
const PARTIAL_MARKER = /^(?:\[\[?|【)([\d\s,;:&#^–—a-z-]*)(?:†[^】\n]*)?\]?$/i
const LIST_CONNECTIVE = /^(?:an?|and|un?|und|et?|y|to?)$/i
const MAX_WORD = 10

function mayBecomeMarker(text: string): boolean {
  const inside = PARTIAL_MARKER.exec(text)?.[1]?.trimStart()
  if (inside === undefined) return false
  const words = inside.match(/[a-z]+/gi) ?? []
  return words.every(
    (it, at) => LIST_CONNECTIVE.test(it) || (at === 0 && it.length <= MAX_WORD && inside.startsWith(it)),
  )
}

/** A marker and those that follow it immediately, or a plain bracket. */
function scanMarkers(buffer: string, isEnd: boolean): ScanStep {
  const numbers: number[] = []
  let length = 0
  for (let row = 0; row < MAX_ADJACENT_MARKERS; row++) {
    const one = matchMarker(buffer.slice(length), isEnd)
    if (one === 'more') return 'more'
    if (one === null) break
    numbers.push(...one.numbers)
    length += one.length
    const following = buffer.slice(length).replace(/^[ \t]{1,2}/, '')
    if (following === '' && !isEnd) return 'more'
    if (!/^[[【]/.test(following)) return { length, pieces: [{ type: 'marker', numbers }] }
    if (matchMarker(following, isEnd) === null) break
    length = buffer.length - following.length
  }
  return length === 0 ? textStep(buffer.slice(0, 1)) : { length, pieces: [{ type: 'marker', numbers }] }
}

function matchMarker(text: string, isEnd: boolean): { numbers: readonly number[]; length: number } | null | 'more' {
  const seen = text.slice(0, MAX_MARKER + 1)
  const [marker, list] = MARKERS.map((it) => it.exec(seen)).find((it) => it !== null) ?? []
  if (marker === undefined || list === undefined) {
    return !isEnd && text.length <= MAX_MARKER && mayBecomeMarker(text) ? 'more' : null
  }
  const numbers = parseNumberList(list)
  // "in [0, 1]" is an interval.
  if (numbers.length > 1 && numbers.includes(0)) return null
  const rest = text.slice(marker.length)
  if (rest === '' && !isEnd) return 'more'
  if (!rest.startsWith('(')) return { numbers, length: marker.length }
  const address = /^\([^()\s]*\)/.exec(rest)
  if (address !== null) return { numbers, length: marker.length + address[0].length }
  const isOpen = !isEnd && rest.length <= MAX_ADDRESS && /^\([^()\s]*$/.test(rest)
  return isOpen ? 'more' : { numbers, length: marker.length }
}

function parseNumberList(list: string): number[] {
  const parts = [...list.matchAll(/(?:[–—-]|to)\s*#?(\d+)|\d+/gi)]
  const numbers: number[] = []
  for (const [one, to] of parts) {
    const number = Number(to ?? one)
    const from = numbers.at(-1)
    if (to !== undefined && from !== undefined && number > from && number - from <= MAX_RANGE) {
      for (let it = from + 1; it < number; it++) numbers.push(it)
    }
    numbers.push(number)
  }
  return [...new Set(numbers)]
}
