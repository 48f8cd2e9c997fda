// The lines of one answer while it is written, and its readers, each at its own pace.
import type { Packet } from '../../domain/chat/packet.ts'

export interface EventLogLimits {
  /** A reader that has this many bytes unread may be disconnected as stalled. */
  maxLagBytes: number
  /** How long a reader with that much unread may take nothing. */
  stallMs: number
  /** How long any reader may take nothing. */
  idleMs: number
  /** After this much silence a reader receives a heartbeat. */
  heartbeatMs: number
  /** How long the answer may have no reader before it is abandoned. */
  abandonAfterMs: number
}

export const EVENT_LOG_LIMITS: Readonly<EventLogLimits> = {
  maxLagBytes: 256 << 10,
  stallMs: 500,
  idleMs: 60_000,
  heartbeatMs: 15_000,
  abandonAfterMs: 700,
}

/** One line of the answer. The cursor is the number of packets up to and including it. */
export interface StreamLine {
  text: string
  cursor: number
}

/** Yields the available lines in batches. */
export interface EventReader extends AsyncIterable<readonly StreamLine[]> {
  /** Aborted when the reader stalls; close its connection. */
  stalled: AbortSignal
}

export interface EventLog {
  readonly packets: readonly Packet[]
  readonly bytes: number
  readonly hasEnded: boolean
  emit(packet: Packet): void
  /** Appends a line that is not a packet. */
  writeLine(line: object): void
  end(): void
  /** Starts after the packet at the cursor; the head lines are always included. */
  read(cursor: number, signal: AbortSignal): EventReader
}

/** `onAbandoned` is called when the log has had no reader for `abandonAfterMs`. */
export function createEventLog(head: readonly object[], limits: EventLogLimits, onAbandoned: () => void): EventLog {
  const headLines = head.map((it) => ({ text: JSON.stringify(it), cursor: 0 }))
  const packets: Packet[] = []
  const lines: StreamLine[] = []
  const readers = new Set<ReaderState>()
  let bytes = 0
  let isOver = false
  let abandonTimer: NodeJS.Timeout | undefined
  const appendLine = (text: string) => {
    const size = Buffer.byteLength(text)
    bytes += size
    lines.push({ text, cursor: packets.length })
    for (const it of readers) it.addLag(size)
  }
  const detach = (reader: ReaderState) => {
    if (!readers.delete(reader)) return
    reader.close()
    if (readers.size === 0 && !isOver) abandonTimer = setTimeout(onAbandoned, limits.abandonAfterMs)
  }
  return {
    packets,
    get bytes() {
      return bytes
    },
    get hasEnded() {
      return isOver
    },
    emit(packet) {
      packets.push(packet)
      appendLine(JSON.stringify(packet))
    },
    writeLine: (line) => appendLine(JSON.stringify(line)),
    end() {
      isOver = true
      clearTimeout(abandonTimer)
      for (const it of readers) it.addLag(0)
    },
    read(cursor, signal) {
      clearTimeout(abandonTimer)
      const state = createReaderState(limits)
      readers.add(state)
      signal.addEventListener('abort', () => detach(state), { once: true })
      if (signal.aborted) detach(state)
      const source = { first: headLines, lines, isOver: () => isOver, beat: () => heartbeatLine(packets) }
      return {
        stalled: state.stalled,
        [Symbol.asyncIterator]: () => readLines(source, cursor, state, () => detach(state)),
      }
    },
  }
}

interface LineSource {
  first: readonly StreamLine[]
  lines: readonly StreamLine[]
  isOver(): boolean
  beat(): StreamLine
}

/** Lines are batched to avoid many small writes; this bounds a batch. */
const MAX_BATCH_CHARACTERS = 8_192

function batchFrom(lines: readonly StreamLine[], start: number): StreamLine[] {
  const batch: StreamLine[] = []
  let characters = 0
  for (let line = lines[start]; line !== undefined; line = lines[start + batch.length]) {
    if (characters >= MAX_BATCH_CHARACTERS) break
    batch.push(line)
    characters += line.text.length
  }
  return batch
}

async function* readLines(
  { first, lines, isOver, beat }: LineSource,
  cursor: number,
  state: ReaderState,
  onEnd: () => void,
): AsyncGenerator<readonly StreamLine[]> {
  let at = indexAfter(lines, cursor)
  try {
    if (first.length > 0) yield* state.deliver(first)
    while (!state.isDetached()) {
      const batch = batchFrom(lines, at)
      if (batch.length > 0) {
        yield* state.deliver(batch)
        at += batch.length
        continue
      }
      if (isOver()) return
      if (!(await state.waitForLines())) yield* state.deliver([beat()])
    }
  } finally {
    onEnd()
  }
}

/** A line that is not a packet has the cursor of the packet before it. */
function indexAfter(lines: readonly StreamLine[], cursor: number): number {
  const next = cursor === 0 ? 0 : lines.findIndex((it) => it.cursor > cursor)
  return next < 0 ? lines.length : next
}

const heartbeatLine = (packets: readonly Packet[]): StreamLine => {
  const placement = packets.at(-1)?.placement ?? {
    turn_index: 0,
    tab_index: 0,
    sub_turn_index: null,
    model_index: null,
  }
  const beat: Packet = { placement, obj: { type: 'chat_heartbeat' } }
  return { text: JSON.stringify(beat), cursor: packets.length }
}

interface ReaderState {
  stalled: AbortSignal
  /** Records that this many more bytes are available. */
  addLag(bytes: number): void
  /** Yields lines, and measures how long the reader takes until it asks for more. */
  deliver(lines: readonly StreamLine[]): Generator<readonly StreamLine[]>
  /** True if there may be something to do; false after silence, when a heartbeat is due. */
  waitForLines(): Promise<boolean>
  isDetached(): boolean
  close(): void
}

function createReaderState({ maxLagBytes, stallMs, idleMs, heartbeatMs }: EventLogLimits): ReaderState {
  const stuck = new AbortController()
  let behind = 0
  let heldSince: number | null = null
  let waitsSince: number | null = null
  let isClosed = false
  let wake: (isSomething: boolean) => void = () => {}
  const checkTimeouts = () => {
    const now = performance.now()
    if (waitsSince !== null && now - waitsSince > heartbeatMs) wake(false)
    if (heldSince === null) return
    const held = now - heldSince
    if (held > idleMs || (behind > maxLagBytes && held > stallMs)) stuck.abort()
  }
  // One timer for all timeouts: an answer has a thousand pieces.
  const timer = setInterval(checkTimeouts, Math.min(stallMs, heartbeatMs)).unref()
  return {
    stalled: stuck.signal,
    addLag(bytes) {
      behind += bytes
      wake(true)
    },
    *deliver(lines) {
      heldSince = performance.now()
      yield lines
      heldSince = null
      behind = 0
    },
    async waitForLines() {
      if (isClosed) return true
      waitsSince = performance.now()
      const isSomething = await new Promise<boolean>((resolve) => {
        wake = resolve
      })
      waitsSince = null
      return isSomething
    },
    isDetached: () => isClosed || stuck.signal.aborted,
    close() {
      isClosed = true
      clearInterval(timer)
      wake(true)
    },
  }
}
