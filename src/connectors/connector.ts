// What a connector is, and all that it sees of the world: its `Pull`.
import type { Socket } from 'node:net'
import type { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import type { Owner } from '../domain/document.ts'
import type { Extraction } from '../extract/extract.ts'

/** A document of a source; what is left out is empty. */
export interface SourceDocument {
  id: string
  semantic_identifier: string
  /** Null: the display title is the one that search looks at. */
  title?: string | null
  sections: { text: string; link?: string | null; heading?: string | null }[]
  metadata?: Record<string, string | string[]>
  /** Epoch milliseconds. */
  doc_updated_at?: number | null
  primary_owners?: Partial<Owner>[]
  secondary_owners?: Partial<Owner>[]
  /** Who may read it in the source. Left out: whoever may read the pair; where the pair is `sync`, nobody. */
  external_access?: ExternalAccess | null
  /** Another source than the connector's own, where a file says so. */
  source?: string
}

/** The members of one group of the source, by e-mail. */
export interface SourceGroup {
  /** As documents name it. */
  id: string
  emails: readonly string[]
}

/** What the connector wants to remember of a document. It is kept together with it, and forgotten with it. */
export interface Note {
  /** The id of the document. */
  key: string
  value: string
}

export type Item =
  | { type: 'document'; document: SourceDocument; note?: Note }
  /** It is there, and as it was when it was read last. */
  | { type: 'unchanged'; id: string; note?: Note }
  /** It is there, and is left out on purpose. */
  | { type: 'skipped'; id: string; link: string | null; reason: string }
  /** It is there and could not be read. The run goes on. */
  | {
      type: 'failure'
      document_id: string | null
      link: string | null
      entity_id?: string | null
      stage: 'list' | 'fetch' | 'extract'
      message: string
    }
  /** Whoever begins here again misses nothing of what comes after. Any JSON. */
  | { type: 'checkpoint'; checkpoint: unknown }

export interface PullRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Of the body of the answer; 20 MiB if it is not said. */
  maxBytes?: number
}

export interface PullAnswer {
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  /** After the redirects. */
  url: string
  body: Buffer
}

/** A file of the service or of a folder that the operator opened. */
export interface SourceFile {
  /** What `read` takes. */
  id: string
  name: string
  media_type: string | null
  size: number
  /** Epoch milliseconds. */
  changed_at: number
  /** Another content has another one. */
  version: string
}

export interface Files {
  /** The uploads of these ids, in their order; one that is gone is left out. */
  uploads(ids: readonly string[]): Promise<SourceFile[]>
  /** Every file below the folder, in alphabetical order. A `SourceError` where the operator has not opened it. */
  folder(path: string): Promise<SourceFile[]>
  read(file: SourceFile): Promise<Buffer>
}

export interface FileBytes {
  bytes: Buffer
  /** With its suffix. */
  name: string
  /** As it came with the file, with its charset. */
  mediaType: string | null
  /** For PDFs that open with one, also within it. */
  password?: string | null
}

export interface Pull<C = unknown, K = unknown> {
  config: C
  /** Null where the pair has the empty credential. */
  credential: K | null
  /** What changed before this moment was read already; null asks for everything. Epoch milliseconds, as `until`. */
  since: number | null
  until: number
  /** What was yielded last by a run that did not get to its end; null begins. */
  checkpoint: unknown
  /** Only these documents, by id or entity id; null for all. */
  only: readonly string[] | null
  /**
   * One request. It waits for its turn with the host, repeats what may pass, and honours `Retry-After`. Rejects with a
   * `SourceError` when the source cannot be reached or keeps answering 429 or 5xx; any other status is an answer.
   */
  fetch(url: string, request?: PullRequest): Promise<PullAnswer>
  /** A connection for a protocol other than HTTP. */
  connect(host: string, port: number, tls: boolean): Promise<Socket>
  files: Files
  /** What is in a file, read in a process of its own. What is wrong with it is in the report; rejects at the signal alone. */
  extract(file: FileBytes): Promise<Extraction>
  /** What was noted of a document that is still there, or null; a run from the beginning remembers nothing. */
  recall(key: string): Promise<string | null>
  signal: AbortSignal
}

/** How what a connector throws is to be taken. */
export type SourceFault =
  /** What was configured cannot work: another try comes to the same. */
  | 'config'
  /** The source does not accept the credential, or not for this. */
  | 'credential'
  /** The source cannot be reached, or has no answer now. */
  | 'unavailable'
  /** Its name has no address. */
  | 'unresolved'
  /** It answers something else than it should. */
  | 'unexpected'

export class SourceError extends Error {
  readonly fault: SourceFault
  /** Which field of the config or the credential it is about. */
  readonly field: string | null
  /** What the source answered, if it did. */
  readonly status: number | null

  constructor(
    fault: SourceFault,
    message: string,
    { field = null, status = null, cause }: { field?: string | null; status?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.fault = fault
    this.field = field
    this.status = status
  }
}

export interface Connector<C = unknown, K = unknown> {
  /** The names under which it is known; the first is its own. */
  sources: readonly [string, ...string[]]
  label: string
  /** What it reads, in a sentence. */
  description: string
  config: z.ZodType<C, unknown>
  /** Null: it needs none. */
  credential: z.ZodType<K, unknown> | null
  /** Whether the empty credential will do. */
  isCredentialOptional: boolean
  /** Whether what it reads says who may read it. */
  hasAccess: boolean
  /** Asks the source whether this can work. Rejects with a `SourceError` that names the field. */
  check(pull: Pull<C, K>): Promise<void>
  /** Everything, or what changed since; in an order in which a checkpoint makes sense. */
  load(pull: Pull<C, K>): AsyncGenerator<Item, void>
  /**
   * The ids of everything that the source has, whether it was left out or not. Ends only where the listing is complete,
   * and rejects otherwise: what it does not name is deleted.
   */
  listIds(pull: Pull<C, K>): AsyncGenerator<string, void>
  /** The members of all groups that documents may name; rejects where it cannot tell all of them. */
  groups?(pull: Pull<C, K>): AsyncGenerator<SourceGroup, void>
  /**
   * Who may read each document now, without reading it again. A document that it does not name is open to nobody; it
   * rejects where it cannot tell of all.
   */
  access?(pull: Pull<C, K>): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void>
  /** How many documents the source says that it has; absent where it does not say. */
  count?(pull: Pull<C, K>): Promise<number | null>
}

/** Ties the types of `config` and `credential` to those of `load`. */
export const connector = <C, K>(definition: Connector<C, K>): Connector => definition as unknown as Connector
