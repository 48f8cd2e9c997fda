// What `main.ts` hands a command: a terminal, the way to the service, and what works on the data itself.
import type { Api } from '../client/api.ts'
import type { ExitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

export interface Context {
  terminal: Terminal
  /** Of PHAROS_URL and PHAROS_API_KEY where the options are absent; `url` says where it leads. */
  connect(options: { url?: string; key?: string }): Connection
  offline: Offline
  /** Aborts at Ctrl-C: a command ends soon, and leaves nothing half. */
  signal: AbortSignal
  /** Where a command may note how far it is. */
  stateDir: string
  stdin: AsyncIterable<Uint8Array>
  /** A file as the person who typed its name means it. */
  pathOf: (name: string) => string
  /** Monotonic, in milliseconds. */
  clock: () => number
  now: () => number
}

export interface Connection {
  api: Api
  url: string
  /** Nobody named another: it is where the service of this machine's settings would be. */
  isOwn: boolean
}

export interface Backup {
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

export interface Offline {
  backup(
    path: string,
    options: { withKeys: boolean; onProgress: OnProgress },
  ): Promise<Backup & { path: string; bytes: number }>
  checkBackup(path: string, onProgress: OnProgress): Promise<Backup>
  restore(
    path: string,
    options: { replace: boolean; onProgress: OnProgress },
  ): Promise<Backup & { place: string; aside: string | null; otherKeys: string[] }>
  /** Fills the index anew. Answers how many documents it then holds. */
  reindex(onProgress: OnProgress): Promise<{ documents: number }>
  /** Secrets that no key here opens. RECORD_MISSING where there is no record. */
  lostSecrets(): Promise<LostSecret[]>
  /** Puts nothing in their place, each with an entry in the audit. Answers what was given up. */
  giveUpSecrets(): Promise<LostSecret[]>
  inspectUpgrade(): Promise<Upgrade>
  upgrade(): Promise<Upgrade>
  evaluate(
    folders: readonly string[],
    options: { url?: string; key?: string; keep?: boolean; json?: boolean; assert?: boolean },
  ): Promise<ExitCode>
}

export type OnProgress = (progress: { step: string; done: number; total: number | null }) => void

export interface LostSecret {
  /** A table of the record, such as `credential`. */
  kind: string
  id: number
  name: string
  /** The key that it was sealed with. */
  kid: string
}

export interface Upgrade {
  version: string
  /** Of the database; 0 where there is none yet. */
  current: number
  target: number
  /** Files of the migrations to come, in order. */
  migrations: string[]
  database: 'sqlite' | 'postgres'
  databaseBytes: number
  freeBytes: number | null
  /** Where the database is copied to before it is changed; null where nobody does that here. */
  copy: string | null
  estimatedSeconds: number
  /** Why the index is filled anew at the next start, or null. */
  rebuild: string | null
}
