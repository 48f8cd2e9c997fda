// Holds pages back until enough of the next ones are known to tell their running lines.
import { createRepeatedLines, writeRepeatedLines } from '../../office/beside/repeated-lines.ts'
import type { ReaderContext } from '../../reader.ts'
import type { PdfPage } from '../pdfium.ts'
import { inReadingOrder } from './reading-order.ts'
import { createRunningLines, PAGES_AROUND } from './running-lines.ts'

export interface PageQueue {
  /** Pages come in their order. May write an earlier page. */
  add(at: number, page: PdfPage): void
  /** Writes the pages that are left, then the texts of running lines, each once. */
  end(): void
}

/** `write` gets the page without its running lines. */
export function createPageQueue(
  { section }: Pick<ReaderContext, 'section'>,
  write: (at: number, page: PdfPage) => void,
): PageQueue {
  const running = createRunningLines()
  const repeated = createRepeatedLines()
  const pending: { at: number; page: PdfPage }[] = []
  const writeFirst = () => {
    const first = pending.shift()
    if (first === undefined) return
    const { at, page } = first
    const found = running.find(at)
    for (const { text } of found) repeated.add(text, true)
    const left = new Set(found.map((it) => it.line))
    write(at, { ...page, lines: page.lines === null ? null : inReadingOrder(page.lines.filter((it) => !left.has(it))) })
  }
  return {
    add(at, page) {
      running.add(at, page.lines)
      pending.push({ at, page })
      while ((pending[0]?.at ?? at) < at - PAGES_AROUND) writeFirst()
    },
    end() {
      while (pending.length > 0) writeFirst()
      writeRepeatedLines(section, repeated)
    },
  }
}
