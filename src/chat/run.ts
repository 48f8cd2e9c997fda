// One answer while it is written: what was said so far, and everybody who reads it, each as fast as they can.
import type { Packet } from '../domain/packet.ts'

export interface RunLimits {
  /** A reader that takes nothing while this much comes is let go. */
  maxBehindBytes: number
  /** How long it may take nothing with that much behind it. */
  stuckMs: number
  /** How long it may take nothing at all. */
  idleMs: number
  /** After so much silence a reader hears that the line is still open. */
  heartbeatMs: number
  /** How long nobody may read before the answer is given up. */
  graceMs: number
}

export const RUN_LIMITS: Readonly<RunLimits> = {
  maxBehindBytes: 256 << 10,
  stuckMs: 500,
  idleMs: 60_000,
  heartbeatMs: 15_000,
  graceMs: 700,
}

/** A line of the answer, and how many packets a reader has that has this one: its cursor. */
export interface StreamLine {
  text: string
  cursor: number
}

/** A few lines at a time, as many as there are. */
export interface Reader extends AsyncIterable<readonly StreamLine[]> {
  /** Aborts when the reader takes too little: what carries the lines should be cut. */
  stuck: AbortSignal
}

export interface Run {
  readonly packets: readonly Packet[]
  readonly bytes: number
  readonly isOver: boolean
  emit(packet: Packet): void
  /** A line that is no packet. */
  say(line: object): void
  end(): void
  /** From the packet at the cursor on; the lines that come before all packets are always said. */
  read(cursor: number, signal: AbortSignal): Reader
}

/** `onLeft` is called when nobody has read for a while. */
export function createRun(head: readonly object[], limits: RunLimits, onLeft: () => void): Run {
  const first = head.map((it) => ({ text: JSON.stringify(it), cursor: 0 }))
  const packets: Packet[] = []
  const lines: StreamLine[] = []
  const readers = new Set<ReaderState>()
  let bytes = 0
  let isOver = false
  let leaving: NodeJS.Timeout | undefined
  const add = (text: string) => {
    const size = Buffer.byteLength(text)
    bytes += size
    lines.push({ text, cursor: packets.length })
    for (const it of readers) it.note(size)
  }
  const leave = (reader: ReaderState) => {
    if (!readers.delete(reader)) return
    reader.close()
    if (readers.size === 0 && !isOver) leaving = setTimeout(onLeft, limits.graceMs)
  }
  return {
    packets,
    get bytes() {
      return bytes
    },
    get isOver() {
      return isOver
    },
    emit(packet) {
      packets.push(packet)
      add(JSON.stringify(packet))
    },
    say: (line) => add(JSON.stringify(line)),
    end() {
      isOver = true
      clearTimeout(leaving)
      for (const it of readers) it.note(0)
    },
    read(cursor, signal) {
      clearTimeout(leaving)
      const state = readerState(limits)
      readers.add(state)
      signal.addEventListener('abort', () => leave(state), { once: true })
      if (signal.aborted) leave(state)
      const source = { first, lines, isOver: () => isOver, beat: () => beatOf(packets) }
      return {
        stuck: state.stuck,
        [Symbol.asyncIterator]: () => linesFrom(source, cursor, state, () => leave(state)),
      }
    },
  }
}

interface Source {
  first: readonly StreamLine[]
  lines: readonly StreamLine[]
  isOver(): boolean
  beat(): StreamLine
}

/** Lines are given together, so that a fast answer is no flood of small writes, but not too many at once. */
const TOGETHER_CHARS = 8_192

function endOfSome(lines: readonly StreamLine[], start: number): number {
  let end = start
  for (let chars = 0; end < lines.length && chars < TOGETHER_CHARS; end++) chars += lines[end]!.text.length
  return end
}

async function* linesFrom(
  { first, lines, isOver, beat }: Source,
  cursor: number,
  state: ReaderState,
  onEnd: () => void,
): AsyncGenerator<readonly StreamLine[]> {
  let at = placeOf(lines, cursor)
  try {
    if (first.length > 0) yield* state.held(first)
    while (!state.isLeft()) {
      if (at < lines.length) {
        const end = endOfSome(lines, at)
        yield* state.held(lines.slice(at, end))
        at = end
        continue
      }
      if (isOver()) return
      if (!(await state.wakes())) yield* state.held([beat()])
    }
  } finally {
    onEnd()
  }
}

/** A line that is no packet has the cursor of the packet before it. */
function placeOf(lines: readonly StreamLine[], cursor: number): number {
  const next = cursor === 0 ? 0 : lines.findIndex((it) => it.cursor > cursor)
  return next < 0 ? lines.length : next
}

const beatOf = (packets: readonly Packet[]): StreamLine => {
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
  stuck: AbortSignal
  /** So many bytes more are there to read. */
  note(bytes: number): void
  /** Gives lines, and sees how long it takes until more are asked for. */
  held(lines: readonly StreamLine[]): Generator<readonly StreamLine[]>
  /** True when there is something to look at, false when it was silent for so long that the line should be heard. */
  wakes(): Promise<boolean>
  isLeft(): boolean
  close(): void
}

function readerState({ maxBehindBytes, stuckMs, idleMs, heartbeatMs }: RunLimits): ReaderState {
  const stuck = new AbortController()
  let behind = 0
  let heldSince: number | null = null
  let waitsSince: number | null = null
  let isClosed = false
  let wake: (isSomething: boolean) => void = () => {}
  const look = () => {
    const now = performance.now()
    if (waitsSince !== null && now - waitsSince > heartbeatMs) wake(false)
    if (heldSince === null) return
    const held = now - heldSince
    if (held > idleMs || (behind > maxBehindBytes && held > stuckMs)) stuck.abort()
  }
  // One clock for all that is awaited: an answer has a thousand pieces.
  const timer = setInterval(look, Math.min(stuckMs, heartbeatMs)).unref()
  return {
    stuck: stuck.signal,
    note(bytes) {
      behind += bytes
      wake(true)
    },
    *held(lines) {
      heldSince = performance.now()
      yield lines
      heldSince = null
      behind = 0
    },
    async wakes() {
      if (isClosed) return true
      waitsSince = performance.now()
      const isSomething = await new Promise<boolean>((resolve) => {
        wake = resolve
      })
      waitsSince = null
      return isSomething
    },
    isLeft: () => isClosed || stuck.signal.aborted,
    close() {
      isClosed = true
      clearInterval(timer)
      wake(true)
    },
  }
}
