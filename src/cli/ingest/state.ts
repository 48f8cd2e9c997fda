// The progress of an ingestion, in a file that is replaced atomically, so that an interrupted run can be resumed.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface IngestTally {
  created: number
  updated: number
  refused: number
  unread: number
  /** Created or updated documents that contain no text. */
  without_text: number
}

export interface IngestProblem {
  at: string
  reason: string
}

export interface IngestState {
  source: string
  fingerprint: string
  url: string
  started_at: number
  /** All items up to this one are processed. */
  done: string
  tally: IngestTally
  /** The first items that were rejected or unreadable. */
  mishaps: IngestProblem[]
  /** The first documents without text. */
  without_text: string[]
}

export const statePath = (folder: string, source: string, url: string): string =>
  join(folder, `ingest-${createHash('sha256').update(`${source}\n${url}`).digest('hex').slice(0, 16)}.json`)

/** Null if there is no file, or if it belongs to another or changed source. */
export function readState(
  path: string,
  { source, fingerprint, url }: Pick<IngestState, 'source' | 'fingerprint' | 'url'>,
): IngestState | null {
  try {
    const state: IngestState = JSON.parse(readFileSync(path, 'utf8'))
    const isSame = state.source === source && state.fingerprint === fingerprint && state.url === url
    if (!isSame) return null
    // Older versions did not store these names.
    return {
      ...state,
      tally: { ...state.tally, without_text: state.tally.without_text ?? 0 },
      without_text: state.without_text ?? [],
    }
  } catch {
    return null
  }
}

export function writeState(path: string, state: IngestState): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export const removeState = (path: string): void => rmSync(path, { force: true })
