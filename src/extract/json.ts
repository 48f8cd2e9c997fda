// Each value of JSON in a line, under the path to it: `order.items.0.name: Chair`.
import { type Chapters, createChapters } from './chapters.ts'
import { decodeText } from './decode-text.ts'
import { checkTime, type Reader, type Reading } from './reading.ts'

export const readJson: Reader = (reading) => {
  const text = decodeText(reading.bytes, [reading.charset])
  const chapters = createChapters(reading)
  const whole = parse(text)
  const values = whole === undefined ? parseLines(text) : [whole]
  if (values === undefined) {
    reading.warn('damaged', 'This is not JSON. It is read as plain text.')
    reading.section({ text })
    return
  }
  for (const { value } of values) {
    writeValue(value, chapters, reading)
    chapters.line('')
  }
  chapters.end()
}

interface Parsed {
  value: unknown
}

function parse(text: string): Parsed | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch {
    return undefined
  }
}

/** One value a line. */
function parseLines(text: string): Parsed[] | undefined {
  const values: Parsed[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const parsed = parse(line)
    if (parsed === undefined) return undefined
    values.push(parsed)
  }
  return values.length > 0 ? values : undefined
}

/** Paths of what is nested deeper than this are cut: they would be longer than all they lead to. */
const MAX_PATH = 200

/** Without recursion, because JSON may be nested deeper than a stack. */
function writeValue(root: unknown, chapters: Chapters, { budget }: Reading): void {
  const waiting: { value: unknown; path: string }[] = [{ value: root, path: '' }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next
    if (value === null || value === '') continue
    if (typeof value !== 'object') chapters.line(path === '' ? String(value) : `${path}: ${value}`)
    else {
      checkTime(budget)
      for (const [key, inner] of Object.entries(value).reverse())
        waiting.push({ value: inner, path: path === '' ? key : `${path}.${key}`.slice(-MAX_PATH) })
    }
  }
}
