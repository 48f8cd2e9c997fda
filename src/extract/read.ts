// Reads one file with all that is in it, and never throws for what is in it.
import type { Limits, Section, Verdict, WarningCode } from './extraction.ts'
import { HEAD_BYTES, type Kind, kindOf } from './kind.ts'
import {
  type Budget,
  Ended,
  emitSection,
  type Facts,
  newBudget,
  type Reader,
  type Reading,
  type ReadingEvent,
} from './reading.ts'

/** Loaded when it is wanted: a process that reads mails has no use for PDFium. */
const READERS: Readonly<Record<Kind, () => Promise<Reader>>> = {
  text: async () => (await import('./plain-text.ts')).readPlainText,
  yaml: async () => (await import('./plain-text.ts')).readPlainText,
  json: async () => (await import('./json.ts')).readJson,
  csv: async () => (await import('./csv.ts')).readCsv,
  tsv: async () => (await import('./csv.ts')).readTsv,
  markdown: async () => (await import('./markdown.ts')).readMarkdown,
  html: async () => (await import('./html.ts')).readHtml,
  xml: async () => (await import('./xml.ts')).readXml,
  pdf: async () => (await import('./pdf.ts')).readPdf,
  zip: async () => (await import('./zip.ts')).readZip,
  tar: async () => (await import('./tar.ts')).readTar,
  gzip: async () => (await import('./gzip.ts')).readGzip,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  mail: async () => (await import('./mail.ts')).readMail,
  ole: async () => (await import('./ole.ts')).readOle,
  image: async () => notText,
  unknown: async () => notText,
  empty: async () => () => {},
}

const notText: Reader = ({ name }) => {
  throw new Ended('unsupported', `No text is known in this kind of file: ${name.slice(0, 200)}`)
}

export interface FileToRead {
  bytes: Buffer
  name: string
  mediaType: string | null
  /** Of whatever in it needs one. */
  password: string | null
  limits: Limits
}

export async function read(file: FileToRead, emit: (event: ReadingEvent) => void): Promise<void> {
  const budget = newBudget(file.limits, () => performance.now())
  await readDocument({ ...file, budget, emit, depth: 0, parent: null })
}

interface Job extends Pick<FileToRead, 'bytes' | 'name' | 'mediaType' | 'password'> {
  budget: Budget
  emit: (event: ReadingEvent) => void
  depth: number
  parent: number | null
}

async function readDocument(job: Job): Promise<void> {
  const id = job.budget.documents++
  const { kind, mismatch } = kindOf(job.bytes.subarray(0, HEAD_BYTES), job)
  job.emit({ event: 'begin', id, parent: job.parent, name: job.name, kind })
  const reading = createReading(job, id)
  if (mismatch !== null) reading.warn('type_mismatch', mismatch)
  const verdict = await verdictOf(reading, kind, (code, detail) => job.emit(warning(id, code, detail)))
  job.emit({ event: 'end', id, verdict })
  // Nothing is left for those that come after this one.
  if (verdict === 'limit' && job.parent !== null && isSpent(job.budget))
    throw new Ended('limit', spentLimit(job.budget))
}

/** Whatever a parser throws at a hostile file is a verdict about the file. */
async function verdictOf(reading: Reading, kind: Kind, warn: Reading['warn']): Promise<Verdict> {
  try {
    const reader = await READERS[kind]()
    await reader(reading)
    return 'ok'
  } catch (error) {
    const { verdict, message } = error instanceof Ended ? error : damage(error)
    warn(verdict === 'limit' ? 'limit_hit' : verdict, message)
    if (verdict === 'limit' || verdict === 'damaged') warn('truncated', 'The text ends where the reading ended.')
    return verdict
  }
}

const damage = (error: unknown): { verdict: 'damaged'; message: string } => ({
  verdict: 'damaged',
  message: (error instanceof Error ? error.message : String(error)).slice(0, 300).toWellFormed(),
})

/** In one file; beside those that say how a document ended, which are always there. */
const MAX_WARNINGS = 1_000

const warning = (id: number, code: WarningCode, detail: string): ReadingEvent => ({
  event: 'warning',
  id,
  warning: { code, detail: detail.slice(0, 500).toWellFormed() },
})

const MAX_FACT = 1_000

/** Titles and names end up in headings and tables: one line of text. */
function tidy(facts: Facts): Facts {
  const tidied: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts))
    tidied[name] = typeof value === 'string' ? oneLine(value).slice(0, MAX_FACT).toWellFormed() || null : value
  return tidied
}

const oneLine = (text: string): string => text.replace(/[\s\0-\x1f\x7f]+/g, ' ').trim()

function createReading(job: Job, id: number): Reading {
  const { budget, emit, password } = job
  return {
    bytes: job.bytes,
    name: job.name,
    password,
    charset: /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(job.mediaType ?? '')?.[1] ?? null,
    budget,
    depth: job.depth,
    section: ({ text, heading = null, anchor = null }) =>
      emitSection(budget, { text, heading, anchor }, (section: Section) =>
        emit({ event: 'sections', id, sections: [section] }),
      ),
    facts: (facts) => emit({ event: 'facts', id, facts: tidy(facts) }),
    page: (page) => emit({ event: 'page', id, page }),
    warn(code, detail) {
      if (budget.warnings++ < MAX_WARNINGS) emit(warning(id, code, detail))
    },
    part: (name, bytes) =>
      readDocument({ bytes, name, mediaType: null, password, budget, emit, depth: job.depth + 1, parent: id }),
  }
}

function spentLimit({ limits, now, deadline, ...used }: Budget): string {
  if (now() > deadline) return 'time'
  if (used.characters > limits.characters) return 'characters'
  if (used.decoded > limits.decodedBytes) return 'decodedBytes'
  if (used.cells > limits.cells) return 'cells'
  if (used.sections > limits.sections) return 'sections'
  return used.members > limits.members ? 'members' : ''
}

const isSpent = (budget: Budget): boolean => spentLimit(budget) !== ''
