// Sources of `ingest`: lines of a file or of standard input, or the files of a folder.
import type { IngestionRequest } from '../../client/schemas.ts'

/** A document, or the reason why there is none. */
export interface IngestItem {
  /** The position in the source: a line number or a path. */
  at: string
  content: { body: IngestionRequest } | { problem: string }
  /** The approximate size in the source. */
  bytes: number
  /** The fraction of the source that has been read; null if the size is unknown. */
  share: number | null
}

export interface IngestSource {
  /** Identifies the content of the source, so that a run is not resumed after the source has changed. */
  fingerprint: string
  /** The items after those that an earlier run has processed. */
  items(resume: ResumePoint | null): AsyncIterable<IngestItem>
}

export interface ResumePoint {
  /** All items up to this one are processed. */
  at: string
  /** The start of the earlier run. */
  startedAt: number
}
