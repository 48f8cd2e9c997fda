// How far an ingestion is, in a file that is replaced as a whole: what an interrupted run left, the next one finds.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Tally {
  created: number
  updated: number
  refused: number
  unread: number
}

export interface Mishap {
  at: string
  reason: string
}

export interface IngestState {
  source: string
  fingerprint: string
  url: string
  started_at: number
  /** Everything up to this item has been dealt with. */
  done: string
  tally: Tally
  /** The first of those that were refused or could not be read. */
  mishaps: Mishap[]
}

export const statePath = (folder: string, source: string, url: string): string =>
  join(folder, `ingest-${createHash('sha256').update(`${source}\n${url}`).digest('hex').slice(0, 16)}.json`)

/** Null when there is none, or when it is of another source, or of what the source was before it changed. */
export function readState(
  path: string,
  { source, fingerprint, url }: Pick<IngestState, 'source' | 'fingerprint' | 'url'>,
): IngestState | null {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as IngestState
    return state.source === source && state.fingerprint === fingerprint && state.url === url ? state : null
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
