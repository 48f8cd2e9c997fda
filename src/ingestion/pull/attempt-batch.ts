// Collects what a run reads, and writes it in batches, each with the progress of the run.
import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectorItem, SourceDocument } from '../../connectors/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { showsFile } from '../../domain/made-texts/transcript.ts'
import { zip } from '../../domain/values/zip.ts'
import {
  type AcceptedDocument,
  acceptWithStatements,
  type NewDocument,
} from '../../store/documents/accept-documents.ts'
import { type AttemptCounters, type NewAttemptError, progressStatements } from '../../store/sources/index-attempts.ts'
import { listPairsOfRun } from '../../store/sources/managed-pairs.ts'
import { logStatements, type NewLogLine } from '../../store/sources/runs/attempt-log.ts'
import { type PairSchedule, type StoredAttempt, updateUnderLease } from '../../store/sources/schedules.ts'
import { skipStatements } from '../../store/sources/skipped-documents.ts'
import { convertSourceDocument, sourceGroupPrefix } from '../source/document.ts'
import { type AttemptLog, LOG_LINES_KEPT } from './attempt-log.ts'
import { CANCELED, type ConnectorRunDeps, LEASE_LOST, MAX_MESSAGE, type RunSlot } from './run-slot.ts'
import type { SkipList } from './skip-list.ts'

const MAX_BATCH = 50
const MAX_BATCH_CHARACTERS = 2_000_000
const NO_ROOM_PAUSE_MS = 1_000

export interface StartedAttempt {
  schedule: PairSchedule
  attempt: StoredAttempt
}

interface AttemptBatch {
  counters: AttemptCounters
  add(item: ConnectorItem): Promise<void>
  flush(checkpoint?: string): Promise<void>
}

/** `unresolved`: ids of documents that failed in earlier attempts. */
export function openAttemptBatch(
  deps: ConnectorRunDeps,
  slot: RunSlot,
  { schedule, attempt }: StartedAttempt,
  { unresolved, skips, log }: { unresolved: Set<string>; skips: SkipList; log: AttemptLog },
): AttemptBatch {
  const counters = countersOf(attempt)
  const requestId = `index-attempt-${attempt.id}`
  const target = {
    source: schedule.source,
    accessType: schedule.access_type,
    groupPrefix: sourceGroupPrefix(schedule),
  }
  let buffer = createEmptyBuffer()

  const recordError = (error: NewAttemptError) => {
    counters.error_count += 1
    log.add(
      'error',
      `${error.document_id ?? error.entity_id ?? 'The source'} failed (${error.stage}): ${error.failure_message}`,
    )
    buffer.errors.push({ ...error, failure_message: error.failure_message.slice(0, MAX_MESSAGE) })
  }
  /** Returns whether the document is valid. */
  const addDocument = (document: SourceDocument): boolean => {
    counters.total_docs += 1
    try {
      const content = convertSourceDocument(document, target)
      buffer.documents.push({ content, ccPairId: schedule.cc_pair_id, requestId, pulled: slot.lease })
      buffer.characters += content.sections.reduce((sum, it) => sum + it.text.length, 0)
      return true
    } catch (error) {
      recordError(conversionError(document, error as Error))
      return false
    }
  }
  const flush = async (checkpoint?: string): Promise<void> => {
    await waitForCapacity(deps, slot)
    if (checkpoint !== undefined) log.add('info', `Checkpoint after ${counters.total_docs} documents.`)
    const flushed = { ...buffer, counters, checkpoint, skipped: skips.take(), lines: log.take() }
    buffer = createEmptyBuffer()
    for (const [document, result] of await writeBatch(deps, slot.lease, attempt.id, flushed)) {
      if (result instanceof Error) recordError(acceptError(document, result))
      else {
        counters[wakeAndClassify(result, deps)] += 1
        if (result.warnings.includes('no_text')) counters.docs_without_text += 1
      }
    }
  }
  return {
    counters,
    flush: async (checkpoint) => {
      await flush(checkpoint)
      // The outcome of the last batch is written too.
      if (checkpoint === undefined) await flush()
    },
    async add(received) {
      const item = received.type === 'warning' ? toSkipped(received) : received
      if (item.type === 'checkpoint') return flush(JSON.stringify(item.checkpoint))
      if (item.type === 'note') return void buffer.notes.push({ key: '', value: item.value })
      if (item.type === 'failure') {
        const { document_id, link: document_link, entity_id = null, stage, message: failure_message } = item
        return recordError({ document_id, document_link, entity_id, stage, failure_message })
      }
      if (item.type === 'skipped') {
        counters.skipped_docs += 1
        log.add('warning', `${item.id} skipped: ${item.reason}`)
        skips.add(item)
      } else buffer.readIds.push(item.type === 'document' ? item.document.id : item.id)
      if (item.type === 'unchanged') {
        counters.total_docs += 1
        counters.unchanged_docs += 1
      }
      if (item.type === 'document' && !addDocument(item.document)) return
      const id = item.type === 'document' ? item.document.id : item.id
      if (unresolved.delete(id)) buffer.resolved.push(id)
      if (item.type !== 'skipped' && item.note !== undefined) buffer.notes.push(item.note)
      if (isFull(buffer, skips)) await flush()
    },
  }
}

const countersOf = (it: StoredAttempt): AttemptCounters => ({
  new_docs: it.new_docs,
  changed_docs: it.changed_docs,
  unchanged_docs: it.unchanged_docs,
  total_docs: it.total_docs,
  skipped_docs: it.skipped_docs,
  docs_without_text: it.docs_without_text,
  error_count: it.error_count,
})

/** The results of a run since its last flush. */
interface AttemptBuffer {
  documents: NewDocument[]
  errors: NewAttemptError[]
  notes: { key: string; value: string }[]
  resolved: string[]
  readIds: string[]
  /** The length of the documents' texts. */
  characters: number
}

const isFull = ({ documents, characters }: AttemptBuffer, skips: SkipList): boolean =>
  documents.length + skips.length >= MAX_BATCH || characters >= MAX_BATCH_CHARACTERS

const createEmptyBuffer = (): AttemptBuffer => ({
  documents: [],
  errors: [],
  notes: [],
  resolved: [],
  readIds: [],
  characters: 0,
})

/** Writes the documents and the progress of the run in one transaction. Throws if the run has ended meanwhile. */
async function writeBatch(
  { db, now, leaseMs, wakeRecognition }: ConnectorRunDeps,
  lease: RunSlot['lease'],
  attemptId: number,
  batch: AttemptBuffer & {
    counters: AttemptCounters
    checkpoint: string | undefined
    skipped: ReturnType<SkipList['take']>
    lines: readonly NewLogLine[]
  },
) {
  const { counters, checkpoint, errors, notes, resolved, skipped, readIds, lines } = batch
  const schedule = { lease_until: now() + leaseMs, wait_reason: null, wait_until: null }
  const progress = { counters, checkpoint, errors, notes, resolved, schedule }
  const also = [
    ...progressStatements(db, lease, attemptId, progress, now()),
    ...skipStatements(db, lease, attemptId, { skipped, read: readIds }, now()),
    ...logStatements(db, lease, attemptId, { lines, kept: LOG_LINES_KEPT }),
  ]
  const writable = await listPairsOfRun(db, lease.cc_pair_id)
  const { accepted, rows } = await acceptWithStatements(db, batch.documents, { now: now(), also, writable })
  if (rows[0]?.length === 0) throw LEASE_LOST
  if (rows[1]?.length === 0) throw CANCELED
  if (batch.documents.some(({ content }) => content.sections.some(showsFile))) wakeRecognition()
  return zip(batch.documents, accepted)
}

/** A run reports warnings of the connector as skipped documents. */
const toSkipped = ({ link, message }: Extract<ConnectorItem, { type: 'warning' }>) =>
  ({ type: 'skipped', id: link, link, reason: message }) as const

const EMPTY_ERROR = { document_id: null, document_link: null, entity_id: null }

const conversionError = ({ id, sections }: SourceDocument, { message }: Error): NewAttemptError => ({
  ...EMPTY_ERROR,
  document_id: id,
  document_link: sections.find((it) => it.link)?.link ?? null,
  stage: 'accept',
  failure_message: message,
})

/** Says nothing about the other connector. */
const FOREIGN_DOCUMENT =
  'A document with this id belongs to a connector of other groups. An administrator who saves this connector lifts this limit.'

function messageOf(error: Error): string {
  if (!(error instanceof AppError)) return 'The document could not be written.'
  return error.code === 'DOCUMENT_NOT_WRITABLE' ? FOREIGN_DOCUMENT : error.message
}

const acceptError = ({ content }: NewDocument, error: Error): NewAttemptError => ({
  ...EMPTY_ERROR,
  document_id: content.id,
  document_link: content.link,
  stage: 'accept',
  failure_message: messageOf(error),
})

function wakeAndClassify(
  { addedBytes, seq, already_existed }: AcceptedDocument,
  { indexer, meter }: ConnectorRunDeps,
): 'new_docs' | 'changed_docs' | 'unchanged_docs' {
  if (addedBytes !== undefined) {
    indexer.wake(seq, addedBytes)
    meter.countPulled(1)
  }
  if (!already_existed) return 'new_docs'
  return addedBytes === undefined ? 'unchanged_docs' : 'changed_docs'
}

/** Connectors wait when the queue or the disk is full; pushed documents have priority. */
async function waitForCapacity(
  { db, indexer, checkDisk, now, leaseMs }: ConnectorRunDeps,
  { lease, signal }: RunSlot,
): Promise<void> {
  for (;;) {
    try {
      checkDisk()
      indexer.checkRoom()
      return
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const lease_until = now() + leaseMs
      await updateUnderLease(db, lease, {
        lease_until,
        wait_reason: error.message,
        wait_until: now() + NO_ROOM_PAUSE_MS,
      })
      await delay(NO_ROOM_PAUSE_MS, undefined, { signal })
    }
  }
}
