// What a connector would bring, before anything is kept; and whether it can work at all.
import { type Item, SourceError } from '../connectors/connector.ts'
import type { ExternalAccess } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import { messageOf } from './attempt.ts'
import { openPull, type PullNeeds, type PullSource } from './open-pull.ts'
import { contentOfSource } from './source-document.ts'

const SHOWN = 20
const SHOWN_CHARACTERS = 500
const PREVIEW_MS = 20_000
const CHECK_MS = 20_000

export interface Preview {
  documents: {
    document_id: string
    semantic_identifier: string
    link: string | null
    characters: number
    beginning: string
    metadata: Record<string, string | string[]>
    /** Null: whoever may read the pair. */
    external_access: ExternalAccess | null
  }[]
  skipped: { document_id: string; link: string | null; reason: string }[]
  failures: { document_id: string | null; link: string | null; stage: string; message: string }[]
  /** Whether there is nothing beyond what is shown. */
  is_complete: boolean
  /** Why it broke off, if it did. */
  error: string | null
}

export async function previewSource(
  { pull, now }: { pull: PullNeeds; now: () => number },
  source: PullSource,
  accessType: string,
  signal: AbortSignal,
): Promise<Preview> {
  const preview: Preview = { documents: [], skipped: [], failures: [], is_complete: false, error: null }
  const abort = AbortSignal.any([signal, AbortSignal.timeout(PREVIEW_MS)])
  try {
    const opened = openPull({ ...pull, retries: 1 }, source, { ...whole(now()), signal: abort })
    for await (const item of source.connector.load(opened)) {
      show(preview, item, { source: source.source, accessType, groupPrefix: `${source.source}:` })
      if (preview.documents.length === SHOWN || preview.skipped.length + preview.failures.length >= 5 * SHOWN) {
        return preview
      }
    }
    return { ...preview, is_complete: true }
  } catch (error) {
    signal.throwIfAborted()
    const late = `The source gave no more within ${PREVIEW_MS / 1_000} seconds.`
    return { ...preview, error: abort.aborted ? late : messageOf(error) }
  }
}

const whole = (until: number) => ({
  since: null,
  until,
  checkpoint: null,
  only: null,
  recall: () => Promise.resolve(null),
})

function show(preview: Preview, item: Item, target: Parameters<typeof contentOfSource>[1]): void {
  if (item.type === 'skipped') {
    preview.skipped.push({ document_id: item.id, link: item.link, reason: item.reason })
    return
  }
  if (item.type === 'failure') {
    const { document_id, link, stage, message } = item
    preview.failures.push({ document_id, link, stage, message })
    return
  }
  if (item.type !== 'document') return
  try {
    const {
      id: document_id,
      semantic_identifier,
      link,
      metadata,
      external_access,
      sections,
    } = contentOfSource(item.document, target)
    const text = sections.map((it) => it.text).join('\n\n')
    const beginning = text.slice(0, SHOWN_CHARACTERS)
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
    const message = (error as Error).message
    preview.failures.push({ document_id: item.document.id, link: null, stage: 'accept', message })
  }
}

/**
 * Asks the source. INVALID_INPUT names the field and what the source answered. A name that has no address at this
 * moment may have one when it is called: then this answers a warning.
 */
export async function checkSource(
  { pull, now }: { pull: PullNeeds; now: () => number },
  source: PullSource,
  signal: AbortSignal,
): Promise<string | null> {
  const abort = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)])
  try {
    await source.connector.check(openPull({ ...pull, retries: 1 }, source, { ...whole(now()), signal: abort }))
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceError && error.fault === 'unresolved') return messageOf(error)
    const late = `the source did not answer within ${CHECK_MS / 1_000} seconds`
    const reason = abort.aborted ? late : messageOf(error)
    throw new AppError('INVALID_INPUT', { reason: `Connector validation error: ${reason}` }, { cause: error })
  }
}
