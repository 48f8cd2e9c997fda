// Sends the items of a source, many at a time, and remembers up to where all of them have been dealt with.
import type { IngestionRequest } from '../client/schemas.ts'
import type { Outcome, Sender } from './ingest-send.ts'
import type { Item } from './ingest-source.ts'
import type { Mishap, Tally } from './ingest-state.ts'

export interface Ingestion {
  items: AsyncIterable<Item>
  sender: Sender
  /** Changed as it goes. */
  tally: Tally
  mishaps: Mishap[]
  /** Every item up to this one has been dealt with. */
  onDone: (at: string, share: number | null) => void
}

/** One that has to wait holds up the count: so many go on before it. */
const MAX_AHEAD = 2_000
/** Content that has been read and not been answered yet. */
const MAX_AHEAD_BYTES = 64 << 20
const MAX_GROUP_BYTES = 8 << 20
/** More are counted and no longer kept. */
const MAX_MISHAPS = 10_000

export async function runIngestion({ items, sender, tally, mishaps, onDone }: Ingestion): Promise<void> {
  const flights = new Set<Promise<void>>()
  const outcomes = new Map<Item, Outcome | { unread: string }>()
  const order: Item[] = []
  const lastOfId = new Map<string, Promise<void>>()
  let waiting: Sendable[] = []
  let bytesAhead = 0
  let failure: { error: unknown } | undefined

  /** Counted in the order of the source, so that the figures are those of what need not be sent again. */
  const land = () => {
    for (let item = order[0]; item !== undefined; item = order[0]) {
      const outcome = outcomes.get(item)
      if (outcome === undefined) return
      outcomes.delete(item)
      order.shift()
      bytesAhead -= item.bytes
      note(item, outcome, tally, mishaps)
      onDone(item.at, item.share)
    }
  }
  const deal = async (group: readonly Sendable[], before: readonly (Promise<void> | undefined)[]) => {
    // Versions of one document are accepted in their order, or the older one would stay.
    await Promise.all(before)
    if (failure !== undefined) return
    const answers = await sender.send(group.map((it) => it.content.body))
    for (const [at, item] of group.entries()) outcomes.set(item, answers[at]!)
    land()
  }
  const begin = (group: readonly Sendable[]) => {
    const ids = new Set(group.map(idOf))
    const before = [...ids].map((id) => lastOfId.get(id))
    const flight = deal(group, before)
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        flights.delete(flight)
        for (const id of ids) if (lastOfId.get(id) === flight) lastOfId.delete(id)
      })
    flights.add(flight)
    for (const id of ids) lastOfId.set(id, flight)
  }
  /** What waits goes as soon as there is room for it: alone from a slow source, in large groups from a fast one. */
  const pump = () => {
    while (waiting.length > 0 && flights.size < sender.maxInFlight && failure === undefined) {
      const size = groupSize(waiting, sender.maxGroup)
      begin(waiting.slice(0, size))
      waiting = waiting.slice(size)
    }
  }

  for await (const item of items) {
    order.push(item)
    bytesAhead += item.bytes
    if (isSendable(item)) waiting.push(item)
    if ('problem' in item.content) outcomes.set(item, { unread: item.content.problem })
    land()
    pump()
    while (isFull()) {
      await Promise.race(flights)
      pump()
    }
    if (failure !== undefined) break
  }
  while (flights.size > 0) {
    await Promise.race(flights)
    pump()
  }
  if (failure !== undefined) throw failure.error

  function isFull(): boolean {
    const isFarAhead = order.length >= MAX_AHEAD || bytesAhead >= MAX_AHEAD_BYTES
    return flights.size > 0 && (waiting.length >= sender.maxGroup || isFarAhead)
  }
}

interface Sendable extends Item {
  content: { body: IngestionRequest }
}

const isSendable = (item: Item): item is Sendable => 'body' in item.content

function groupSize(waiting: readonly Item[], most: number): number {
  let bytes = 0
  let size = 0
  for (const it of waiting.slice(0, most)) {
    bytes += it.bytes
    if (size > 0 && bytes > MAX_GROUP_BYTES) break
    size++
  }
  return size
}

/** As the service names it. */
function idOf({ content }: Sendable): string {
  const { id, semantic_identifier } = content.body.document ?? {}
  return id ? `id ${id}` : `name ${semantic_identifier}`
}

function note({ at }: Item, outcome: Outcome | { unread: string }, tally: Tally, mishaps: Mishap[]): void {
  if (typeof outcome === 'string') {
    tally[outcome]++
    return
  }
  const [kind, reason] =
    'unread' in outcome ? (['unread', outcome.unread] as const) : (['refused', outcome.refused] as const)
  tally[kind]++
  if (mishaps.length < MAX_MISHAPS) mishaps.push({ at, reason })
}
