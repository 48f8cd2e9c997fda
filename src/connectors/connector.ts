// The connector interface. A connector sees its `ConnectorContext` and nothing else.
import type { Socket } from 'node:net'
import type { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import type { DocumentOwner } from '../domain/document.ts'
import type { EgressProfile } from '../domain/egress-refusal.ts'
import type { TextReport } from '../domain/extraction/text-report.ts'
import type { KnownRecording } from '../domain/made-texts/transcript.ts'
import type { SectionPicture } from '../domain/pictures/recognition.ts'
import { isOriginAllowed } from '../domain/values/origin.ts'
import type { Extraction, SourceKind } from '../extract/extract.ts'
import { isPlainObject } from '../wire/containers.ts'

export interface SourceSection {
  text: string
  link?: string | null
  heading?: string | null
  /** The scanned page or the picture that the section shows, as `extract` returned it. */
  picture?: SectionPicture
  /** The recording of which the section is to hold the transcript, as `extract` returned it. */
  recording?: KnownRecording
}

/** A document as a connector yields it. Omitted fields are empty. */
export interface SourceDocument {
  id: string
  semantic_identifier: string
  /** Null: search uses `semantic_identifier`. */
  title?: string | null
  sections: SourceSection[]
  metadata?: Record<string, string | string[]>
  /** Epoch milliseconds. */
  doc_updated_at?: number | null
  primary_owners?: Partial<DocumentOwner>[]
  secondary_owners?: Partial<DocumentOwner>[]
  /**
   * The readers of the document in the source. Omitted: everyone who may read the pair, or nobody if the pair's access
   * type is `sync`.
   */
  external_access?: ExternalAccess | null
  /** How the text was read. Omitted if it comes from no file and no page. */
  report?: TextReport
  /** Overrides the connector's source when the file's metadata names one. */
  source?: string
}

/** A group of the source and the e-mail addresses of its members. */
export interface SourceGroup {
  /** The name that documents use in `external_user_group_ids`. */
  id: string
  emails: readonly string[]
}

/** A value that the connector stores with a document, for example its ETag. It is deleted with the document. */
export interface DocumentNote {
  /** The id of the document. */
  key: string
  value: string
}

/** A name that other documents of the source give a document. */
export interface GivenName {
  document_id: string
  name: string
}

/** How many other documents of the source link to a document, where that says that it is a good one. */
export interface LinkCount {
  document_id: string
  links: number
}

export type ConnectorItem =
  | { type: 'document'; document: SourceDocument; note?: DocumentNote }
  /** Unchanged since the last run. */
  | { type: 'unchanged'; id: string; note?: DocumentNote }
  /** Exists in the source and is not indexed on purpose. */
  | { type: 'skipped'; id: string; link: string | null; reason: string }
  /** Exists in the source but could not be read. The run continues. */
  | {
      type: 'failure'
      document_id: string | null
      link: string | null
      entity_id?: string | null
      stage: 'list' | 'fetch' | 'extract'
      message: string
    }
  /** The connector keeps a note of its own for its next run. Its key is empty. */
  | { type: 'note'; value: string }
  /** The configuration works but is probably not what the administrator intended. `link` is the suggestion. */
  | { type: 'warning'; link: string; message: string }
  /** A run that resumes from this JSON value misses nothing that follows it. */
  | { type: 'checkpoint'; checkpoint: unknown }

export interface SourceRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Limit on the response body. Default: 20 MiB. */
  maxBytes?: number
}

export interface SourceResponse {
  status: number
  /** Keys are lower-case. */
  headers: Readonly<Record<string, string>>
  /** The final URL, after redirects. */
  url: string
  body: Buffer
}

/** An uploaded file, or a file in a folder that the operator listed in CONNECTOR_FOLDERS. */
export interface SourceFile {
  /** Identifies the file to `read`. */
  id: string
  name: string
  media_type: string | null
  size: number
  /** Epoch milliseconds. */
  changed_at: number
  /** Changes with the content. */
  version: string
}

export interface ConnectorFiles {
  /** Uploads in the order of `ids`. Deleted uploads are omitted. */
  uploads(ids: readonly string[]): Promise<SourceFile[]>
  /**
   * Every file below the folder, in alphabetical order. Throws a `SourceError` if CONNECTOR_FOLDERS does not include
   * it.
   */
  folder(path: string): Promise<SourceFile[]>
  read(file: SourceFile): Promise<Buffer>
}

export interface ExtractInput {
  bytes: Buffer
  /** With its extension. */
  name: string
  /** The Content-Type of the file, including its charset. */
  mediaType: string | null
  /** Forces the kind when neither content nor name identifies it. */
  as?: SourceKind
  /** Opens encrypted PDFs, including those inside an archive or mail. */
  password?: string | null
  /**
   * Whether a picture or a recording is a document of the source. Scanned pages of a PDF, and pictures inside a file, always have
   * a section. Default: false.
   */
  isPictureRead?: boolean
}

/** A section with a `picture` or a `recording` gets its text later, when a model has made it. */
export type SourceExtraction = Omit<Extraction, 'sections' | 'parts' | 'scan'> & {
  sections: FileSection[]
  parts: SourcePart[]
}
export type SourcePart = SourceExtraction & { name: string }
export type FileSection = Omit<Extraction['sections'][number], 'picture'> & {
  picture?: SectionPicture
  recording?: KnownRecording
}

export interface ConnectorContext<C = unknown, K = unknown> {
  config: C
  /** Null if the pair uses the empty credential. */
  credential: K | null
  /**
   * Start of the window: earlier changes are already indexed. Null reads everything. Epoch milliseconds, like `until`.
   */
  since: number | null
  until: number
  /** The last checkpoint of an interrupted run. Null starts from the beginning. */
  checkpoint: unknown
  /** Reads only these documents, given by id or entity id. Null reads all. */
  only: readonly string[] | null
  /**
   * Sends one HTTP request. Waits for the host's rate limiter, retries transient failures and honours `Retry-After`.
   * Rejects with a `SourceError` when the source is unreachable or keeps answering 429 or 5xx; any other status
   * resolves.
   */
  fetch(url: string, request?: SourceRequest): Promise<SourceResponse>
  /** Opens a socket for a protocol other than HTTP. */
  connect(host: string, port: number, tls: boolean): Promise<Socket>
  files: ConnectorFiles
  /**
   * Extracts text in a separate process. Problems with the file are in the report; rejects only when the signal aborts.
   */
  extract(file: ExtractInput): Promise<SourceExtraction>
  /**
   * The note stored with a document, or null if there is none. The empty key gives the connector's own note. A run from the
   * beginning always gets null.
   */
  recall(key: string): Promise<string | null>
  signal: AbortSignal
}

/** Tells the scheduler how to treat the error. */
export type SourceErrorKind =
  /** The configuration is wrong; a retry cannot help. */
  | 'config'
  /** The source rejects the credential, or the credential lacks a permission. */
  | 'credential'
  /** The source is unreachable or overloaded. */
  | 'unavailable'
  /** The host name does not resolve. */
  | 'unresolved'
  /** The response does not match the documented format. */
  | 'unexpected'

export class SourceError extends Error {
  readonly kind: SourceErrorKind
  /** The config or credential field that causes the error. */
  readonly field: string | null
  /** The HTTP status, if the source answered. */
  readonly status: number | null

  constructor(
    kind: SourceErrorKind,
    message: string,
    { field = null, status = null, cause }: { field?: string | null; status?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.field = field
    this.status = status
  }
}

/**
 * Whether the response exceeded `maxBytes`. The `EgressError` is recognised by its `reason`, because this room may not
 * import `egress/`.
 */
export const isSizeLimitError = (error: unknown): error is SourceError =>
  error instanceof SourceError && isPlainObject(error.cause) && error.cause.reason === 'size'

interface ConnectorDefinition<C, K> {
  /** Values of `source`. The first is canonical, the others are aliases. */
  sources: readonly [string, ...string[]]
  label: string
  /** How pages name the source of a document. Default: its name on the wire, in words. */
  shortLabel?: string
  /** One sentence: what the connector reads. */
  description: string
  /** Markdown for docs/connectors.md: surprising behaviour and the reason for it. */
  remarks?: string
  config: z.ZodType<C, unknown>
  /**
   * Fields of the configuration that clients of the existing server send and that this connector does not use. They are
   * ignored, whatever they resemble. Default: none.
   */
  ignoredFields?: readonly string[]
  /** Ids of the uploads that the configuration names. The user who saves it must own them. */
  uploads?(config: C): readonly string[]
  /**
   * How far its requests may reach. `public-only`, the default: the public internet on ports 80 and 443, for a
   * connector that follows addresses its source contains. `admin-target`: any port, and the private hosts that an
   * administrator approved, for a connector that calls only the address in its configuration.
   */
  egress?: EgressProfile
  /** Whether every user may use the credentials of this source. Default: only their owner and administrators may. */
  hasOpenCredentials?: boolean
  /** Whether the tests run against the real source. Default: against a server that imitates its documented API. */
  isTestedWithRealSource?: boolean
  /** Whether the connector also runs with the empty credential. */
  isCredentialOptional: boolean
  /** Whether documents carry `external_access`. */
  hasAccess: boolean
  /** Asks the source whether this can work. Rejects with a `SourceError` that names the config or credential field. */
  check(context: ConnectorContext<C, K>): Promise<void>
  /** Yields everything, or the changes since `since`, in an order that checkpoints can resume. */
  load(context: ConnectorContext<C, K>): AsyncGenerator<ConnectorItem, void>
  /**
   * Lists the ids of everything in the source, including skipped items. Must reject if the listing is incomplete:
   * pruning deletes every document that is not listed.
   */
  listIds(context: ConnectorContext<C, K>): AsyncGenerator<string, void>
  /** The members of every group that documents may name. Rejects if the list is incomplete. */
  groups?(context: ConnectorContext<C, K>): AsyncGenerator<SourceGroup, void>
  /**
   * The current readers of every document, without reading its content. Documents that are not listed become readable
   * by nobody. Rejects if the list is incomplete.
   */
  access?(context: ConnectorContext<C, K>): AsyncGenerator<{ id: string; external_access: ExternalAccess }, void>
  /**
   * The names that documents of the source give each other, such as the texts of links, and how many link to each, from
   * the notes of all documents. Called after a run that has read changes.
   */
  names?(context: ConnectorContext<C, K>, notes: AsyncIterable<string>): AsyncGenerator<GivenName | LinkCount, void>
  /** The number of documents that the source reports, or null if it does not report one. */
  count?(context: ConnectorContext<C, K>): Promise<number | null>
}

/** A connector with a credential declares the origins that receive it. */
type CredentialUse<C, K> =
  | { credential: null; origins?: undefined; originsFromCredential?: undefined; canonicalOrigin?: undefined }
  | {
      credential: z.ZodType<K, unknown>
      /**
       * Every origin that receives the credential, spelled as in `domain/values/origin.ts`. Requests to other origins
       * are refused. Throws a `SourceError` if the configuration contains no valid address.
       */
      origins(config: C): readonly string[]
      /** Origins that the credential itself contains, chosen by the credential's owner. */
      originsFromCredential?(credential: K): readonly string[]
      /** Maps a vendor's per-customer hosts to one origin. */
      canonicalOrigin?(url: URL): string
    }

export type Connector<C = unknown, K = unknown> = ConnectorDefinition<C, K> & CredentialUse<C, K>

/** Strict unless the definition says otherwise. */
export const egressProfileOf = ({ egress = 'public-only' }: Pick<Connector, 'egress'>): EgressProfile => egress

/**
 * The origins that receive the credential under a stored configuration. Empty if the configuration is invalid, because
 * such a connector does not run.
 */
export function credentialOrigins(connector: Connector | undefined, stored: unknown): string[] {
  if (connector === undefined || connector.credential === null) return []
  const config = connector.config.safeParse(stored)
  if (!config.success) return []
  try {
    return [...new Set(connector.origins(config.data))]
  } catch (error) {
    if (error instanceof SourceError) return []
    throw error
  }
}

/** Whether a credential restricted to `allowed` may be sent to `origin`. */
export function isCredentialAllowedAt(
  { canonicalOrigin }: Connector,
  allowed: readonly string[],
  origin: string,
): boolean {
  const toCanonical = (it: string): string => {
    const url = canonicalOrigin === undefined ? null : URL.parse(it)
    return url === null || canonicalOrigin === undefined ? it : canonicalOrigin(url)
  }
  return isOriginAllowed(toCanonical(origin), allowed.map(toCanonical))
}

/** Checks that `load` and the other methods accept the types of `config` and `credential`. */
export const defineConnector = <C, K>(definition: Connector<C, K>): Connector => definition as unknown as Connector
