export type OutputItem<T> = { type: 'text'; text: string } | { type: 'citation'; citation: T }

/** Pending text is scanned again with each piece; this bounds the cost. */
const MAX_PENDING = 1_000

/** Joins the pieces, and removes the space that a dropped marker would leave. */
export function createCitationOutput<T>() {
  const done: OutputItem<T>[] = []
  let text = ''
  /** Trailing spaces and an opening bracket, kept back until the next text decides about them. */
  let pendingText = ''
  let isRemoved = false
  let isLineStart = true

  const append = (more: string): void => {
    const whole = pendingText + more
    const end = stableEnd(whole)
    const certain = whole.slice(0, end)
    if (certain !== '') isLineStart = certain.endsWith('\n')
    text += certain
    pendingText = whole.slice(end)
  }
  const flush = (): void => {
    if (text !== '') done.push({ type: 'text', text })
    text = ''
  }
  /** Trims the text that follows a removed marker. */
  const trimAfterRemoval = (more: string): string => {
    if (isLineStart && pendingText.trim() === '') {
      pendingText = ''
      return more.replace(/^[ \t]+/, '')
    }
    if (pendingText.includes('(') && more.startsWith(')')) {
      pendingText = pendingText.slice(0, pendingText.indexOf('(')).trimEnd()
      return more.slice(1)
    }
    if (/^[\s.,;:!?)\]。！？、，]/.test(more)) pendingText = pendingText.trimEnd()
    return more
  }
  return {
    text(more: string): void {
      const rest = isRemoved ? trimAfterRemoval(more) : more
      if (rest === '') return
      isRemoved = false
      append(rest)
    },
    markRemoved(): void {
      isRemoved = true
    },
    citation(citation: T): void {
      flush()
      done.push({ type: 'citation', citation })
    },
    flush(): OutputItem<T>[] {
      flush()
      return done.splice(0)
    },
    end(): OutputItem<T>[] {
      text += isRemoved ? pendingText.trimEnd() : pendingText
      pendingText = ''
      isRemoved = false
      isLineStart = true
      flush()
      return done.splice(0)
    },
  }
}

/** The offset where the trailing spaces begin, including an opening bracket among them. */
function stableEnd(text: string): number {
  const bracket = trimmedEnd(text, text.length)
  const end = text[bracket - 1] === '(' ? trimmedEnd(text, bracket - 1) : bracket
  return Math.max(end, text.length - MAX_PENDING)
}

function trimmedEnd(text: string, from: number): number {
  let end = from
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end--
  return end
}
