// Reads the files that are attached to a PDF, or to one of its annotations.
import { createHash } from 'node:crypto'
import type { PdfiumLibrary } from './pdfium-library.ts'
import { readUtf16 } from './utf16.ts'

export interface AttachedFile {
  name: string
  bytes: Buffer
}

const MAX_ATTACHMENTS = 10_000

/** The handles of the files that the document lists; annotations may have more. */
export function listAttachments(library: PdfiumLibrary, document: number): number[] {
  const count = Math.min(Math.max(0, library.FPDFDoc_GetAttachmentCount(document)), MAX_ATTACHMENTS)
  return Array.from({ length: count }, (_, at) => library.FPDFDoc_GetAttachment(document, at)).filter((it) => it !== 0)
}

/**
 * Reads one after the other; equal files come once. `maxBytes` is asked before each: a larger file gives 'too large'.
 * A file whose bytes are not readable is left out.
 */
export function* readAttachedFiles(
  library: PdfiumLibrary,
  attachments: Iterable<number>,
  maxBytes: () => number,
): Generator<AttachedFile | 'too large'> {
  const seen = new Set<string>()
  for (const attachment of attachments) {
    const bytes = attachmentBytes(library, attachment, maxBytes())
    if (bytes === null) continue
    if (bytes === 'too large') {
      yield bytes
      continue
    }
    const name = readUtf16(library, (to, size) => library.FPDFAttachment_GetName(attachment, to, size))
    const key = `${name}\0${createHash('sha256').update(bytes).digest('hex')}`
    if (seen.has(key)) continue
    seen.add(key)
    yield { name: name || `attachment-${seen.size}`, bytes }
  }
}

function attachmentBytes(library: PdfiumLibrary, attachment: number, maxBytes: number): Buffer | 'too large' | null {
  const { pdfium: memory } = library
  const length = memory.wasmExports.malloc(8)
  if (length === 0) return null
  try {
    if (!library.FPDFAttachment_GetFile(attachment, 0, 0, length)) return null
    const size = Buffer.from(memory.HEAPU8.buffer, length, 4).readUInt32LE()
    if (size > maxBytes) return 'too large'
    const content = memory.wasmExports.malloc(size)
    if (content === 0) return null
    const isRead = library.FPDFAttachment_GetFile(attachment, content, size, length)
    const bytes = Buffer.from(memory.HEAPU8.subarray(content, content + size))
    memory.wasmExports.free(content)
    return isRead ? bytes : null
  } finally {
    memory.wasmExports.free(length)
  }
}
