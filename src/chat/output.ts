export type Shown<T> = { type: 'text'; text: string } | { type: 'citation'; citation: T }

/** Puts the pieces together, and takes the space away that a removed marker would leave. */
export function createOutput<T>() {
  const done: Shown<T>[] = []
  let text = ''
  /** Spaces and an open bracket at the end: whether they stay depends on what follows. */
  let held = ''
  let isRemoved = false
  let isLineStart = true

  const put = (more: string): void => {
    const whole = held + more
    const rest = /[ \t]*\(?[ \t]*$/.exec(whole)![0]
    const certain = whole.slice(0, whole.length - rest.length)
    if (certain !== '') isLineStart = certain.endsWith('\n')
    text += certain
    held = rest
  }
  const flush = (): void => {
    if (text !== '') done.push({ type: 'text', text })
    text = ''
  }
  /** What is left of the text that follows a removed marker. */
  const closed = (more: string): string => {
    if (isLineStart && held.trim() === '') {
      held = ''
      return more.replace(/^[ \t]+/, '')
    }
    if (held.includes('(') && more.startsWith(')')) {
      held = held.slice(0, held.indexOf('(')).trimEnd()
      return more.slice(1)
    }
    if (/^[\s.,;:!?)\]。！？、，]/.test(more)) held = held.trimEnd()
    return more
  }
  return {
    text(more: string): void {
      const rest = isRemoved ? closed(more) : more
      if (rest === '') return
      isRemoved = false
      put(rest)
    },
    removed(): void {
      isRemoved = true
    },
    citation(citation: T): void {
      flush()
      done.push({ type: 'citation', citation })
    },
    flush(): Shown<T>[] {
      flush()
      return done.splice(0)
    },
    end(): Shown<T>[] {
      text += isRemoved ? held.trimEnd() : held
      held = ''
      isRemoved = false
      isLineStart = true
      flush()
      return done.splice(0)
    },
  }
}
