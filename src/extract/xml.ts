// Any XML: the texts of its elements, one a line.
import { createChapters } from './chapters.ts'
import { decodeText } from './decode-text.ts'
import { checkTime, type Reader } from './reading.ts'
import { xmlFeed } from './xml-events.ts'

const SILENT = new Set(['script', 'style'])

export const readXml: Reader = (reading) => {
  const source = decodeText(reading.bytes, [reading.charset, declaredEncoding(reading.bytes)])
  const chapters = createChapters(reading)
  let words = ''
  let silence = 0
  const endLine = () => {
    const line = words.replace(/\s+/g, ' ').trim()
    if (line !== '') chapters.line(line)
    words = ''
  }
  const feed = xmlFeed({
    open(name) {
      endLine()
      if (SILENT.has(name)) silence++
    },
    text(piece) {
      if (silence === 0) words += piece
    },
    close(name) {
      endLine()
      if (SILENT.has(name)) silence--
    },
  })
  for (let at = 0; at < source.length; at += STEP) {
    checkTime(reading.budget)
    feed.write(source.slice(at, at + STEP))
  }
  feed.end()
  endLine()
  chapters.end()
}

const STEP = 1 << 16

const declaredEncoding = (bytes: Buffer): string | null =>
  /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    bytes.subarray(0, 300).toString('latin1'),
  )?.[1] ?? null
