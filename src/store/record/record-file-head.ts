// The head of DATA_DIR/record.json holds two numbers of fixed width, so that they can be overwritten in place.

export interface RecordCounters {
  /** Newest sequence number of a document change. */
  changes: number
  /** Number of writing transactions in the embedded database; 0 in PostgreSQL. */
  commits: number
}

/** Name of the counter in the table `sequence`. */
export const COMMIT_COUNTER = 'commit'

const WIDTH = 16

/** Fits into the first sector of the file, which a disk writes atomically. */
export const recordFileHead = ({ changes, commits }: RecordCounters): string =>
  `{"changes":${padCount(changes)},"commits":${padCount(commits)}`

const padCount = (count: number) => String(count).padStart(WIDTH)
