// Some models put their reasoning between <think> and </think> at the beginning of the answer.

export interface ModelTextPiece {
  type: 'text' | 'reasoning'
  text: string
}

export interface ThinkTagParser {
  /** Returns what is certain; a partial tag is kept back. */
  push(text: string): ModelTextPiece[]
  /** Returns the rest. */
  end(): ModelTextPiece[]
}

const OPEN = '<think>'
const CLOSE = '</think>'

export function createThinkTagParser(): ThinkTagParser {
  let state: 'beginning' | 'thinking' | 'after' | 'text' = 'beginning'
  let buffer = ''
  const push = (text: string): ModelTextPiece[] => {
    if (state === 'text') return piece('text', text)
    buffer += text
    if (state === 'beginning') return parseStart()
    return state === 'thinking' ? parseThinking() : skipToText()
  }
  const parseStart = (): ModelTextPiece[] => {
    const trimmed = buffer.trimStart()
    if (trimmed.startsWith(OPEN)) {
      state = 'thinking'
      buffer = trimmed.slice(OPEN.length)
      return parseThinking()
    }
    if (OPEN.startsWith(trimmed)) return []
    state = 'text'
    return take('text', buffer.length)
  }
  const parseThinking = (): ModelTextPiece[] => {
    const end = buffer.indexOf(CLOSE)
    if (end === -1) return take('reasoning', buffer.length - partialTagLength(buffer, CLOSE))
    const thought = take('reasoning', end)
    state = 'after'
    buffer = buffer.slice(CLOSE.length)
    return [...thought, ...skipToText()]
  }
  /** White space between the reasoning and the text is dropped. */
  const skipToText = (): ModelTextPiece[] => {
    buffer = buffer.trimStart()
    if (buffer === '') return []
    state = 'text'
    return take('text', buffer.length)
  }
  const take = (type: ModelTextPiece['type'], length: number): ModelTextPiece[] => {
    const taken = buffer.slice(0, length)
    buffer = buffer.slice(length)
    return piece(type, taken)
  }
  const end = () => (buffer.trim() === '' ? [] : take(state === 'thinking' ? 'reasoning' : 'text', buffer.length))
  return { push, end }
}

const piece = (type: ModelTextPiece['type'], text: string): ModelTextPiece[] => (text === '' ? [] : [{ type, text }])

/** How much of the end of the text may be the start of the tag. */
function partialTagLength(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
