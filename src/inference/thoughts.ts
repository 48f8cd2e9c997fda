// Some models write what they think into their answer, between <think> and </think> at its beginning.

export interface Piece {
  type: 'text' | 'reasoning'
  text: string
}

export interface Thoughts {
  /** What can be told of it; the beginning of a mark is kept until it is one or none. */
  push(text: string): Piece[]
  /** What was kept. */
  end(): Piece[]
}

const OPEN = '<think>'
const CLOSE = '</think>'

export function thoughts(): Thoughts {
  let state: 'beginning' | 'thinking' | 'after' | 'text' = 'beginning'
  let kept = ''
  const push = (text: string): Piece[] => {
    if (state === 'text') return piece('text', text)
    kept += text
    if (state === 'beginning') return begin()
    return state === 'thinking' ? think() : goOn()
  }
  const begin = (): Piece[] => {
    const trimmed = kept.trimStart()
    if (trimmed.startsWith(OPEN)) {
      state = 'thinking'
      kept = trimmed.slice(OPEN.length)
      return think()
    }
    if (OPEN.startsWith(trimmed)) return []
    state = 'text'
    return take('text', kept.length)
  }
  const think = (): Piece[] => {
    const end = kept.indexOf(CLOSE)
    if (end === -1) return take('reasoning', kept.length - overlap(kept, CLOSE))
    const thought = take('reasoning', end)
    state = 'after'
    kept = kept.slice(CLOSE.length)
    return [...thought, ...goOn()]
  }
  /** The space between the thought and the text belongs to neither. */
  const goOn = (): Piece[] => {
    kept = kept.trimStart()
    if (kept === '') return []
    state = 'text'
    return take('text', kept.length)
  }
  const take = (type: Piece['type'], length: number): Piece[] => {
    const taken = kept.slice(0, length)
    kept = kept.slice(length)
    return piece(type, taken)
  }
  const end = () => (kept.trim() === '' ? [] : take(state === 'thinking' ? 'reasoning' : 'text', kept.length))
  return { push, end }
}

const piece = (type: Piece['type'], text: string): Piece[] => (text === '' ? [] : [{ type, text }])

/** How much of the end of the text may be the beginning of the mark. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
