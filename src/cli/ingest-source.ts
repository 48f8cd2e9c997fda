// What `ingest` reads from: lines of a file or of the standard input, or the files of a folder.
import type { IngestionRequest } from '../client/schemas.ts'

/** One document, or why there is none. */
export interface Item {
  /** Where it stands: the number of a line, or a path. */
  at: string
  content: { body: IngestionRequest } | { problem: string }
  /** About as long as it is in the source. */
  bytes: number
  /** How much of the source has been read with it; null where nobody knows how much there is. */
  share: number | null
}

export interface Source {
  /** Changes when the source does, so that a run of yesterday is not gone on with in a file of today. */
  fingerprint: string
  /** Those after the ones that an earlier run has dealt with. */
  items(resume: Resume | null): AsyncIterable<Item>
}

export interface Resume {
  /** The last item before which everything has been dealt with. */
  at: string
  /** When the earlier run began. */
  startedAt: number
}
