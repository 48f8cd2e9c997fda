// Sends the items of a source concurrently and tracks the position up to which all are processed.
import type { IngestionRequest } from '../../client/schemas.ts'
import { zip } from '../../domain/values/zip.ts'
import type { IngestOutcome, Sender } from './sender.ts'
import type { IngestItem } from './source.ts'
import type { IngestProblem, IngestTally } from './state.ts'

export interface IngestionRun {
  items: AsyncIterable<IngestItem>
  sender: Sender
  /** Updated during the run. */
  tally: IngestTally
  mishaps: IngestProblem[]
  withoutText: string[]
  /** Reports that all items up to this one are processed. */
  onDone: (at: string, share: number | null) => void
}

/** An item that waits blocks the count, so up to this many items after it are processed. */
const MAX_AHEAD = 2_000
/** The limit for content that was read but not acknowledged. */
const MAX_AHEAD_BYTES = 64 << 20
const MAX_GROUP_BYTES = 8 << 20
/** Further problems are counted but not kept; applies to each kind. */
const MAX_KEPT_PROBLEMS = 10_000

export async function runIngestion({
  items,
  sender,
  tally,
  mishaps,
  withoutText,
  onDone,
}: IngestionRun): Promise<void> {
  const inFlight = new Set<Promise<void>>()
  const outcomes = new Map<IngestItem, IngestOutcome | { unread: string }>()
  const order: IngestItem[] = []
  const lastById = new Map<string, Promise<void>>()
  let waiting: Sendable[] = []
  let bytesAhead = 0
  let failure: { error: unknown } | undefined

  /** Counts in source order, so that the counts cover exactly the items that need not be sent again. */
  const settle = () => {
    for (let item = order[0]; item !== undefined; item = order[0]) {
      const outcome = outcomes.get(item)
      if (outcome === undefined) return
      outcomes.delete(item)
      order.shift()
      bytesAhead -= item.bytes
      recordOutcome(item, outcome, { tally, mishaps, withoutText })
      onDone(item.at, item.share)
    }
  }
  const sendGroup = async (group: readonly Sendable[], before: readonly (Promise<void> | undefined)[]) => {
    // Versions of one document must be accepted in order, or an old version could win.
    await Promise.all(before)
    if (failure !== undefined) return
    const answers = await sender.send(group.map((it) => it.content.body))
    for (const [item, outcome] of zip(group, answers)) outcomes.set(item, outcome)
    settle()
  }
  const startGroup = (group: readonly Sendable[]) => {
    const ids = new Set(group.map(documentKey))
    const before = [...ids].map((id) => lastById.get(id))
    const sending = sendGroup(group, before)
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        inFlight.delete(sending)
        for (const id of ids) if (lastById.get(id) === sending) lastById.delete(id)
        // The source may be slow, or have ended with items that still wait.
        pump()
      })
    inFlight.add(sending)
    for (const id of ids) lastById.set(id, sending)
  }
  /** Sends waiting items as soon as there is room: a slow source sends single items, a fast one large groups. */
  const pump = () => {
    while (waiting.length > 0 && inFlight.size < sender.maxInFlight && failure === undefined) {
      const size = groupSize(waiting, sender.maxGroup)
      startGroup(waiting.slice(0, size))
      waiting = waiting.slice(size)
    }
  }

  for await (const item of items) {
    order.push(item)
    bytesAhead += item.bytes
    if (isSendable(item)) waiting.push(item)
    if ('problem' in item.content) outcomes.set(item, { unread: item.content.problem })
    settle()
    pump()
    while (isFull()) await Promise.race(inFlight)
    if (failure !== undefined) break
  }
  while (inFlight.size > 0) await Promise.race(inFlight)
  if (failure !== undefined) throw failure.error

  function isFull(): boolean {
    const isFarAhead = order.length >= MAX_AHEAD || bytesAhead >= MAX_AHEAD_BYTES
    return inFlight.size > 0 && (waiting.length >= sender.maxGroup || isFarAhead)
  }
}

interface Sendable extends IngestItem {
  content: { body: IngestionRequest }
}

const isSendable = (item: IngestItem): item is Sendable => 'body' in item.content

function groupSize(waiting: readonly IngestItem[], most: number): number {
  let bytes = 0
  let size = 0
  for (const it of waiting.slice(0, most)) {
    bytes += it.bytes
    if (size > 0 && bytes > MAX_GROUP_BYTES) break
    size++
  }
  return size
}

/** The key by which the service identifies the document. */
function documentKey({ content }: Sendable): string {
  const { id, semantic_identifier } = content.body.document ?? {}
  return id ? `id ${id}` : `name ${semantic_identifier}`
}

function recordOutcome(
  { at }: IngestItem,
  outcome: IngestOutcome | { unread: string },
  { tally, mishaps, withoutText }: Pick<IngestionRun, 'tally' | 'mishaps' | 'withoutText'>,
): void {
  if (typeof outcome === 'string') {
    tally[outcome]++
    return
  }
  if ('withoutText' in outcome) {
    tally[outcome.withoutText]++
    tally.without_text++
    if (withoutText.length < MAX_KEPT_PROBLEMS) withoutText.push(at)
    return
  }
  const [kind, reason] =
    'unread' in outcome ? (['unread', outcome.unread] as const) : (['refused', outcome.refused] as const)
  tally[kind]++
  if (mishaps.length < MAX_KEPT_PROBLEMS) mishaps.push({ at, reason })
}
