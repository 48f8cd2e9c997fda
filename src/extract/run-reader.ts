// Reads a file and all its parts. Never throws for the content.
import type { ExtractLimits, ExtractVerdict, ExtractWarningCode } from './extraction.ts'
import { detectFileKind, type FileKind, HEAD_BYTES } from './file-kind.ts'
import { givenTitle } from './file-title.ts'
import {
  chargePicture,
  createBudget,
  type DocumentFacts,
  type ExtractBudget,
  emitSection,
  type FormatReader,
  ReadEnded,
  type ReaderContext,
  type ReaderEvent,
  unsupportedKind,
} from './reader.ts'

/** Loaded on demand: a process that reads mails does not need PDFium. */
const READERS: Readonly<Record<FileKind, () => Promise<FormatReader>>> = {
  text: async () => (await import('./text/plain-text.ts')).readPlainText,
  yaml: async () => (await import('./text/plain-text.ts')).readPlainText,
  json: async () => (await import('./text/json.ts')).readJson,
  csv: async () => (await import('./text/csv.ts')).readCsv,
  tsv: async () => (await import('./text/csv.ts')).readTsv,
  markdown: async () => (await import('./text/markdown.ts')).readMarkdown,
  html: async () => (await import('./html/html.ts')).readHtml,
  xml: async () => (await import('./xml/xml.ts')).readXml,
  pdf: async () => (await import('./pdf/pdf.ts')).readPdf,
  zip: async () => (await import('./archive/zip.ts')).readZip,
  tar: async () => (await import('./archive/tar.ts')).readTar,
  gzip: async () => (await import('./archive/gzip.ts')).readGzip,
  rtf: async () => (await import('./office/rtf.ts')).readRtf,
  mail: async () => (await import('./mail/mail.ts')).readMail,
  ole: async () => (await import('./office/ole.ts')).readOle,
  records: async () => (await import('./xml/xml-records.ts')).readXmlRecords,
  'storage-format': async () => (await import('./html/storage-format.ts')).readStorageFormat,
  'wiki-text': async () => (await import('./text/wiki-text.ts')).readWikiText,
  image: async () => (await import('./picture/picture-file.ts')).readPictureFile,
  recording: async () => readUnsupported,
  unknown: async () => readUnsupported,
  empty: async () => () => {},
}

const readUnsupported: FormatReader = ({ name }) => {
  throw unsupportedKind(name)
}

export interface FileToRead {
  bytes: Buffer
  name: string
  mediaType: string | null
  /** Overrides the detection of the kind. */
  as: FileKind | null
  /** Password for encrypted content. */
  password: string | null
  limits: ExtractLimits
  /** Whether the bytes of pictures and scanned parts are wanted. */
  keepsPictures: boolean
}

export async function runReader(file: FileToRead, emit: (event: ReaderEvent) => void): Promise<void> {
  const budget = createBudget(file.limits, () => performance.now())
  await readDocument({ ...file, budget, emit, depth: 0, parent: null })
}

interface DocumentJob extends Pick<FileToRead, 'bytes' | 'name' | 'mediaType' | 'as' | 'password' | 'keepsPictures'> {
  budget: ExtractBudget
  emit: (event: ReaderEvent) => void
  depth: number
  parent: number | null
}

async function readDocument(job: DocumentJob): Promise<void> {
  const id = job.budget.documents++
  const head = job.bytes.subarray(0, HEAD_BYTES)
  const { kind, mismatch } = job.as === null ? detectFileKind(head, job) : { kind: job.as, mismatch: null }
  job.emit({ event: 'begin', id, parent: job.parent, name: job.name, kind })
  const silence = watchSilence(id, job.emit)
  const context = createReaderContext({ ...job, emit: silence.emit }, id)
  if (mismatch !== null) context.warn('type_mismatch', mismatch)
  const verdict = await runFormatReader(context, kind, (code, detail) => job.emit(warningEvent(id, code, detail)))
  if (verdict === 'ok' && silence.isSilent()) job.emit(warningEvent(id, 'no_text', 'The file contains no text.'))
  job.emit({ event: 'end', id, verdict })
  // The budget is exhausted for the following parts, too.
  if (verdict === 'limit' && job.parent !== null && isBudgetExceeded(job.budget))
    throw new ReadEnded('limit', exceededLimit(job.budget))
}

/** Notices whether a document has text, parts or pages that are pictures, or says itself where its text is. */
function watchSilence(id: number, emit: DocumentJob['emit']): { emit: DocumentJob['emit']; isSilent: () => boolean } {
  let isSilent = true
  return {
    emit(event) {
      const isText = event.event === 'sections' && event.sections.some((it) => it.text !== '')
      const isPicture = event.event === 'unread_page' || event.event === 'picture_file'
      const isReason = event.event === 'warning' && event.warning.code !== 'type_mismatch'
      if (isText || isReason || isPicture || event.id !== id) isSilent = false
      emit(event)
    },
    isSilent: () => isSilent,
  }
}

/** Every exception of a parser becomes a verdict. */
async function runFormatReader(
  context: ReaderContext,
  kind: FileKind,
  warn: ReaderContext['warn'],
): Promise<ExtractVerdict> {
  try {
    const reader = await READERS[kind]()
    await reader(context)
    return 'ok'
  } catch (error) {
    const { verdict, message } = error instanceof ReadEnded ? error : toDamagedVerdict(error)
    warn(verdict === 'limit' ? 'limit_hit' : verdict, message)
    if (verdict === 'limit' || verdict === 'damaged') warn('truncated', 'The text is truncated.')
    return verdict
  }
}

const toDamagedVerdict = (error: unknown): { verdict: 'damaged'; message: string } => ({
  verdict: 'damaged',
  message: (error instanceof Error ? error.message : String(error)).slice(0, 300).toWellFormed(),
})

/** Per file, in addition to the final warnings of each document. */
const MAX_WARNINGS = 1_000

const warningEvent = (id: number, code: ExtractWarningCode, detail: string): ReaderEvent => ({
  event: 'warning',
  id,
  warning: { code, detail: detail.slice(0, 500).toWellFormed() },
})

const MAX_FACT = 1_000

/** Titles and names become a single line. Default titles of programs are ignored. */
function normalizeFacts(facts: DocumentFacts): DocumentFacts {
  const normalized: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts))
    normalized[name] = typeof value === 'string' ? toSingleLine(value).slice(0, MAX_FACT).toWellFormed() || null : value
  if (typeof normalized.title === 'string') normalized.title = givenTitle(normalized.title)
  return normalized
}

const toSingleLine = (text: string): string => text.replace(/[\s\0-\x1f\x7f]+/g, ' ').trim()

function createReaderContext(job: DocumentJob, id: number): ReaderContext {
  const { budget, emit, password, keepsPictures } = job
  const warn: ReaderContext['warn'] = (code, detail) => {
    if (budget.warnings++ < MAX_WARNINGS) emit(warningEvent(id, code, detail))
  }
  const mayKeep = (bytes: Uint8Array): boolean => {
    const limit = chargePicture(budget, bytes.length)
    if (limit !== null) warn('limit_hit', limit)
    return limit === null
  }
  return {
    bytes: job.bytes,
    name: job.name,
    password,
    keepsPictures,
    charset: /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(job.mediaType ?? '')?.[1] ?? null,
    budget,
    depth: job.depth,
    section: ({ heading = null, anchor = null, ...section }) =>
      emitSection(budget, { ...section, heading, anchor }, (it) => emit({ event: 'sections', id, sections: [it] })),
    facts: (facts) => emit({ event: 'facts', id, facts: normalizeFacts(facts) }),
    page: (page) => emit({ event: 'page', id, page }),
    unreadPage: (page) => emit({ event: 'unread_page', id, page }),
    pictureFile(picture) {
      const isKept = mayKeep(picture.bytes)
      if (isKept) emit({ event: 'picture_file', id, ...picture })
      return isKept
    },
    scan(bytes) {
      if (keepsPictures && mayKeep(bytes)) emit({ event: 'scan', id, bytes })
    },
    warn,
    part: (name, bytes) =>
      readDocument({
        bytes,
        name,
        mediaType: null,
        as: null,
        password,
        keepsPictures,
        budget,
        emit,
        depth: job.depth + 1,
        parent: id,
      }),
  }
}

function exceededLimit({ limits, now, deadline, ...used }: ExtractBudget): string {
  if (now() > deadline) return 'time'
  if (used.characters > limits.characters) return 'characters'
  if (used.decoded > limits.decodedBytes) return 'decodedBytes'
  if (used.cells > limits.cells) return 'cells'
  if (used.sections > limits.sections) return 'sections'
  return used.members > limits.members ? 'members' : ''
}

const isBudgetExceeded = (budget: ExtractBudget): boolean => exceededLimit(budget) !== ''
