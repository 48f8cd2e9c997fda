// Reads any XML: the text of each element on a line.

import { isFlatOdf, readFlatOdf } from '../office/flat-odf.ts'
import type { FormatReader } from '../reader.ts'
import { createSectionWriter } from '../section-writer.ts'
import { decodeText } from '../text/decode-text.ts'
import { createXmlParser, parseXmlText } from './xml-parser.ts'

const IGNORED_ELEMENTS = new Set(['script', 'style'])

export const readXml: FormatReader = (context) => {
  const source = decodeText(context.bytes, [context.charset, declaredEncoding(context.bytes)])
  if (isFlatOdf(source)) return readFlatOdf(context, source)
  const writer = createSectionWriter(context)
  let pendingText = ''
  let ignoredDepth = 0
  const endLine = () => {
    const line = pendingText.replace(/\s+/g, ' ').trim()
    if (line !== '') writer.line(line)
    pendingText = ''
  }
  const parser = createXmlParser({
    open(name) {
      endLine()
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth++
    },
    text(piece) {
      if (ignoredDepth === 0) pendingText += piece
    },
    close(name) {
      endLine()
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth--
    },
  })
  parseXmlText(context, source, parser)
  endLine()
  writer.end()
}

const declaredEncoding = (bytes: Buffer): string | null =>
  /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    bytes.subarray(0, 300).toString('latin1'),
  )?.[1] ?? null
