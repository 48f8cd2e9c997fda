// Here are bytes, what do they say?
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { createAssembly } from './assemble.ts'
import { DEFAULT_LIMITS, type Extraction, type Limits } from './extraction.ts'
import { HEAD_BYTES, type Kind, kindOf } from './kind.ts'
import { read } from './read.ts'
import { createReaderPool, type PoolJob, type ReaderPool, type ReadingEnd } from './reader-pool.ts'

export type {
  Extraction,
  Limits,
  Metadata,
  Page,
  Part,
  Report,
  Section,
  Verdict,
  Warning,
  WarningCode,
} from './extraction.ts'
export { DEFAULT_LIMITS } from './extraction.ts'

export interface ExtractRequest {
  source: { bytes: Uint8Array } | { path: string }
  /** The last step of it tells the kind where the content leaves it open. */
  file_name: string
  /** As it came with the file, with its `charset`. */
  media_type?: string | null
  /** For PDFs that open with one, also within an archive or a mail. */
  password?: string | null
  limits?: Partial<Limits>
  signal: AbortSignal
}

/** Long-lived: it keeps processes. `main.ts` makes one and closes it. */
export interface Extractor {
  /**
   * Never throws for what is in a file: that is a verdict in its report. Rejects with the reason of `signal`, with the
   * system's error when a path cannot be read, and after `close`.
   */
  extract(request: ExtractRequest): Promise<Extraction>
  close(): Promise<void>
}

/** Read here and now when they are short: their reading is linear, and has no parser that could be led astray. */
const SIMPLE: ReadonlySet<Kind> = new Set(['text', 'yaml', 'json', 'empty', 'unknown', 'image'])
const SIMPLE_BYTES = 64 << 10

export interface ExtractorSettings {
  processes?: number
}

export function createExtractor({
  processes = Math.min(2, availableParallelism()),
}: ExtractorSettings = {}): Extractor {
  const pool = createReaderPool({ processes })
  return {
    async extract({ source, file_name: name, media_type: mediaType = null, password = null, limits: given, signal }) {
      signal.throwIfAborted()
      const limits = { ...DEFAULT_LIMITS, ...given }
      const job = { source: await sized(source), name, mediaType, password, limits, signal }
      const assembly = createAssembly()
      if (sizeOf(job.source) > limits.inputBytes) return assembly.finish({ verdict: 'limit', detail: 'inputBytes' })
      const simple = simpleBytes(job)
      if (simple === null) return readInPool(pool, job)
      await read({ bytes: simple, name, mediaType, password, limits }, assembly.take)
      return assembly.finish(NO_END)
    },
    close: () => pool.close(),
  }
}

async function sized(source: ExtractRequest['source']): Promise<PoolJob['source']> {
  if ('bytes' in source) return source
  const found = await stat(source.path)
  if (!found.isFile()) throw new Error(`${source.path} is not a file.`)
  return { path: source.path, size: found.size }
}

const sizeOf = (source: PoolJob['source']): number => ('bytes' in source ? source.bytes.length : source.size)

function simpleBytes({ source, name, mediaType }: PoolJob): Buffer | null {
  if (!('bytes' in source) || source.bytes.length > SIMPLE_BYTES) return null
  const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength)
  return SIMPLE.has(kindOf(bytes.subarray(0, HEAD_BYTES), { name, mediaType }).kind) ? bytes : null
}

/** A process that has read others may be at its end because of them: the verdict is about this file alone. */
async function readInPool(pool: ReaderPool, job: PoolJob): Promise<Extraction> {
  const first = createAssembly()
  const { end, isFirst } = await pool.read(job, first.take)
  const isItsOwn = isFirst || end.verdict === 'ok' || end.detail === 'time'
  if (isItsOwn) return first.finish(unended(end))
  const second = createAssembly()
  return second.finish(unended((await pool.read({ ...job, isAlone: true }, second.take)).end))
}

const NO_END = { verdict: 'damaged', detail: 'The reading did not end.' } as const

/** A process that ended well has ended all that it began. */
const unended = (end: ReadingEnd): Exclude<ReadingEnd, { verdict: 'ok' }> => (end.verdict === 'ok' ? NO_END : end)
