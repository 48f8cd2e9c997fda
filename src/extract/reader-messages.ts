// What the service and a reading process say to each other. The bytes of the file go before all this, through stdin.
import type { Limits } from './extraction.ts'
import type { ReadingEvent } from './reading.ts'

export interface ReadRequest {
  size: number
  name: string
  mediaType: string | null
  password: string | null
  limits: Limits
}

export type ReaderReply = { events: ReadingEvent[] } | { done: true; heldBytes: number } | { ready: true }

/** Written to stderr by the thread that watches, just before it ends the process. */
export const MEMORY_MARK = 'pharos: memory limit'
