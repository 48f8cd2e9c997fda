// Messages between the service and a reader process. The file's bytes are sent through stdin.
import type { ExtractLimits } from '../extraction.ts'
import type { FileKind } from '../file-kind.ts'
import type { ReaderEvent } from '../reader.ts'

export interface ReadFileRequest {
  size: number
  name: string
  mediaType: string | null
  as: FileKind | null
  password: string | null
  limits: ExtractLimits
  /** Zero-based: the pixels of this page are requested. Null: the text of the file. */
  picturePage: number | null
  /** Whether the bytes of pictures and scanned parts are wanted. */
  keepsPictures: boolean
}

export type ReaderReply = { events: ReaderEvent[] } | { done: true; heldBytes: number } | { ready: true }

/** Written to stderr by the watchdog before it kills the process. */
export const MEMORY_LIMIT_MARKER = 'pharos: memory limit'
