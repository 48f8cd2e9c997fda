// Writes each JSON value on a line with its path: `order.items.0.name: Chair`.

import { checkDeadline, type FormatReader, type ReaderContext } from '../reader.ts'
import { createSectionWriter, type SectionWriter } from '../section-writer.ts'
import { decodeText } from './decode-text.ts'

export const readJson: FormatReader = (context) => {
  const text = decodeText(context.bytes, [context.charset])
  const writer = createSectionWriter(context)
  const document = tryParse(text)
  const values = document === undefined ? tryParseLines(text) : [document]
  if (values === undefined) {
    context.warn('damaged', 'Invalid JSON, read as plain text.')
    context.section({ text })
    return
  }
  for (const { value } of values) {
    writeValue(value, writer, context)
    writer.line('')
  }
  writer.end()
}

interface ParsedValue {
  value: unknown
}

function tryParse(text: string): ParsedValue | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) }
  } catch {
    return undefined
  }
}

/** JSON Lines. */
function tryParseLines(text: string): ParsedValue[] | undefined {
  const values: ParsedValue[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const parsed = tryParse(line)
    if (parsed === undefined) return undefined
    values.push(parsed)
  }
  return values.length > 0 ? values : undefined
}

/** Longer paths are truncated, because deep paths would outweigh the values. */
const MAX_PATH = 200

/** Iterative, because JSON may be nested deeper than the call stack. */
function writeValue(root: unknown, writer: SectionWriter, { budget }: ReaderContext): void {
  const pending: { value: unknown; path: string }[] = [{ value: root, path: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next
    if (value === null || value === '') continue
    if (typeof value !== 'object') writer.line(path === '' ? String(value) : `${path}: ${value}`)
    else {
      checkDeadline(budget)
      for (const [key, inner] of Object.entries(value).reverse())
        pending.push({ value: inner, path: path === '' ? key : `${path}.${key}`.slice(-MAX_PATH) })
    }
  }
}
