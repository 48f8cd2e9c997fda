// Previews the documents of a connector without storing them, and checks whether it works.
import { type ConnectorItem, SourceError } from '../../connectors/connector.ts'
import type { ExternalAccess } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import { type ConnectorContextDeps, type ConnectorSource, createConnectorContext } from '../source/connector-context.ts'
import { convertSourceDocument } from '../source/document.ts'
import { runErrorMessage } from './run-attempt.ts'

const MAX_DOCUMENTS = 20
const MAX_EXCERPT = 500
const PREVIEW_TIMEOUT_MS = 20_000
const CHECK_TIMEOUT_MS = 20_000

export interface Preview {
  documents: {
    document_id: string
    semantic_identifier: string
    link: string | null
    characters: number
    beginning: string
    metadata: Record<string, string | string[]>
    /** Null when everyone who may read the pair may read the document. */
    external_access: ExternalAccess | null
  }[]
  skipped: { document_id: string; link: string | null; reason: string }[]
  failures: { document_id: string | null; link: string | null; stage: string; message: string }[]
  /** The configuration works but is probably a mistake. */
  warnings: string[]
  /** Whether the preview shows everything. */
  is_complete: boolean
  /** Why the preview was aborted; null when it was not. */
  error: string | null
}

export async function previewSource(
  { contextDeps, now }: { contextDeps: ConnectorContextDeps; now: () => number },
  source: ConnectorSource,
  accessType: string,
  signal: AbortSignal,
): Promise<Preview> {
  const preview: Preview = { documents: [], skipped: [], failures: [], warnings: [], is_complete: false, error: null }
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(PREVIEW_TIMEOUT_MS)])
  try {
    const context = createConnectorContext({ ...contextDeps, keepScan: null, recordings: null, retries: 1 }, source, {
      ...fullRange(now()),
      signal: timeout,
    })
    for await (const item of source.connector.load(context)) {
      addToPreview(preview, item, { source: source.source, accessType, groupPrefix: `${source.source}:` })
      if (
        preview.documents.length === MAX_DOCUMENTS ||
        preview.skipped.length + preview.failures.length >= 5 * MAX_DOCUMENTS
      ) {
        return preview
      }
    }
    return { ...preview, is_complete: true }
  } catch (error) {
    signal.throwIfAborted()
    const timeoutMessage = `The source sent nothing more within ${PREVIEW_TIMEOUT_MS / 1_000} seconds.`
    return { ...preview, error: timeout.aborted ? timeoutMessage : runErrorMessage(error) }
  }
}

const fullRange = (until: number) => ({
  since: null,
  until,
  checkpoint: null,
  only: null,
  recall: () => Promise.resolve(null),
})

function addToPreview(
  preview: Preview,
  item: ConnectorItem,
  target: Parameters<typeof convertSourceDocument>[1],
): void {
  if (item.type === 'skipped') {
    preview.skipped.push({ document_id: item.id, link: item.link, reason: item.reason })
    return
  }
  if (item.type === 'failure') {
    const { document_id, link, stage, message } = item
    preview.failures.push({ document_id, link, stage, message })
    return
  }
  if (item.type === 'warning') preview.warnings.push(item.message)
  if (item.type !== 'document') return
  try {
    const {
      id: document_id,
      semantic_identifier,
      link,
      metadata,
      external_access,
      sections,
    } = convertSourceDocument(item.document, target)
    const text = sections.map((it) => it.text).join('\n\n')
    const beginning = text.slice(0, MAX_EXCERPT)
    preview.documents.push({
      document_id,
      semantic_identifier,
      link,
      characters: text.length,
      beginning,
      metadata,
      external_access,
    })
  } catch (error) {
    const message = errorMessage(error)
    preview.failures.push({ document_id: item.document.id, link: null, stage: 'accept', message })
  }
}

/**
 * Tests the connection to the source. INVALID_INPUT names the field and the response of the source. A host name that does
 * not resolve now may resolve later, so that is only a warning, which is returned.
 */
export async function checkSource(
  { contextDeps, now }: { contextDeps: ConnectorContextDeps; now: () => number },
  source: ConnectorSource,
  signal: AbortSignal,
): Promise<string | null> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)])
  try {
    await source.connector.check(
      createConnectorContext({ ...contextDeps, keepScan: null, recordings: null, retries: 1 }, source, {
        ...fullRange(now()),
        signal: timeout,
      }),
    )
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceError && error.kind === 'unresolved') return runErrorMessage(error)
    const timeoutMessage = `the source did not answer within ${CHECK_TIMEOUT_MS / 1_000} seconds`
    const reason = timeout.aborted ? timeoutMessage : runErrorMessage(error)
    throw new AppError('INVALID_INPUT', { reason: `Connector validation error: ${reason}` }, { cause: error })
  }
}
