// Extracts text and metadata from files.
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { AppError } from '../domain/errors.ts'
import { errorCode } from '../domain/values/node-error.ts'
import { DEFAULT_LIMITS, type Extraction, type ExtractLimits } from './extraction.ts'
import { createExtractionBuilder } from './extraction-builder.ts'
import { detectFileKind, type FileKind, HEAD_BYTES } from './file-kind.ts'
import { type PictureResult, reasonForLimit } from './picture/grey-picture.ts'
import { createReaderPool, type PoolJob } from './process/reader-pool.ts'
import { extractInPool, readPictureInPool, UNFINISHED } from './read-in-pool.ts'
import { runReader } from './run-reader.ts'

export type { GreyPicture } from '../domain/pictures/grey-picture.ts'
export type {
  CrawlInfo,
  ExtractedMetadata,
  ExtractedPart,
  ExtractedPicture,
  ExtractedSection,
  Extraction,
  ExtractLimits,
  ExtractReport,
  ExtractVerdict,
  ExtractWarning,
  ExtractWarningCode,
} from './extraction.ts'
export { DEFAULT_LIMITS } from './extraction.ts'
export type { PictureResult } from './picture/grey-picture.ts'

export interface ExtractRequest {
  source: { bytes: Uint8Array } | { path: string }
  /** The extension decides the kind if the content is ambiguous. */
  file_name: string
  /** The Content-Type of the file, including its `charset`. */
  media_type?: string | null
  /** Forces a kind that neither content nor name identifies: an XML list, or wiki markup. */
  as?: SourceKind | null
  /** Opens encrypted PDFs, including those inside an archive or mail. */
  password?: string | null
  limits?: Partial<ExtractLimits>
  /** Whether the bytes of pictures in documents, and of scanned parts, come with the result. Default: false. */
  keepsPictures?: boolean
  signal: AbortSignal
}

export interface PictureRequest
  extends Pick<ExtractRequest, 'source' | 'file_name' | 'media_type' | 'password' | 'signal'> {
  /** Zero-based page of a PDF, or of a TIFF with several pages; 0 for other pictures. */
  page: number
}

/** Kinds that are never detected and must be requested. */
export type SourceKind = Extract<FileKind, 'records' | 'storage-format' | 'wiki-text'>

/** Keeps a pool of processes, so one instance serves the whole program. */
export interface Extractor {
  /**
   * Reports problems with the content as a verdict. Rejects with the reason of `signal`, with OUT_OF_FILES if no file or
   * process can be opened at the moment, with the system error if the path is unreadable, and after `close`.
   */
  extract(request: ExtractRequest): Promise<Extraction>
  /**
   * The pixels of one page, for text recognition. PDF pages have 200 dpi and sides of at most 4,000 pixels. PNG, JPEG,
   * TIFF, GIF and BMP files of at most 40 megapixels have their own size, reduced to at most 16 megapixels by averaging. Transparent
   * is white; the orientation that the file states is applied. `reason` says why there are no pixels: an unsupported or
   * damaged file, a missing page, a password, or a limit. Rejects as `extract` does.
   */
  readPicture(request: PictureRequest): Promise<PictureResult>
  close(): Promise<void>
}

/**
 * Kinds that are read in this process if the file is small, because they need no complex parser and take linear time.
 */
const INLINE_KINDS: ReadonlySet<FileKind> = new Set([
  'text',
  'wiki-text',
  'yaml',
  'json',
  'empty',
  'unknown',
  'image',
  'recording',
])
const MAX_INLINE_BYTES = 64 << 10

export interface ExtractorSettings {
  processes?: number
}

export function createExtractor({
  processes = Math.min(2, availableParallelism()),
}: ExtractorSettings = {}): Extractor {
  const pool = createReaderPool({ processes })
  return {
    async extract({
      source,
      file_name: name,
      media_type: mediaType = null,
      as = null,
      password = null,
      limits: limitOverrides,
      keepsPictures = false,
      signal,
    }) {
      signal.throwIfAborted()
      const limits = { ...DEFAULT_LIMITS, ...limitOverrides }
      const job = {
        source: await withFileSize(source),
        name,
        mediaType,
        as,
        password,
        limits,
        picturePage: null,
        keepsPictures,
        signal,
      }
      const builder = createExtractionBuilder()
      if (sourceSize(job.source) > limits.inputBytes) return builder.finish({ verdict: 'limit', detail: 'inputBytes' })
      const inline = inlineBytes(job)
      if (inline === null) return extractInPool(pool, job).catch(throwExtractError)
      await runReader({ bytes: inline, name, mediaType, as, password, limits, keepsPictures }, builder.add)
      return builder.finish(UNFINISHED)
    },
    async readPicture({ source, file_name: name, media_type: mediaType = null, password = null, signal, page }) {
      signal.throwIfAborted()
      const limits = DEFAULT_LIMITS
      const job = { source: await withFileSize(source), name, mediaType, password, limits, signal }
      if (sourceSize(job.source) > limits.inputBytes) return { reason: reasonForLimit('inputBytes') }
      return readPictureInPool(pool, { ...job, as: null, keepsPictures: false, picturePage: page }).catch(
        throwExtractError,
      )
    },
    close: () => pool.close(),
  }
}

async function withFileSize(source: ExtractRequest['source']): Promise<PoolJob['source']> {
  if ('bytes' in source) return source
  const found = await stat(source.path)
  if (!found.isFile()) throw new Error(`${source.path} is not a file.`)
  return { path: source.path, size: found.size }
}

const sourceSize = (source: PoolJob['source']): number => ('bytes' in source ? source.bytes.length : source.size)

function inlineBytes({ source, name, mediaType, as }: PoolJob): Buffer | null {
  if (!('bytes' in source) || source.bytes.length > MAX_INLINE_BYTES) return null
  const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength)
  return INLINE_KINDS.has(as ?? detectFileKind(bytes.subarray(0, HEAD_BYTES), { name, mediaType }).kind) ? bytes : null
}

function throwExtractError(error: unknown): never {
  const code = errorCode(error)
  if (code === 'EMFILE' || code === 'ENFILE') throw new AppError('OUT_OF_FILES', {}, { cause: error })
  throw error
}
