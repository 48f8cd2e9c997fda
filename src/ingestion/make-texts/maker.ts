// The interface of what makes a text of a file with a model.
import type { ModelContent, ModelTextKind } from '../../domain/made-texts/model-text.ts'

export interface FileOfText {
  /** The name of the bytes in the file store. */
  blob: string
  bytes: Uint8Array
}

/** Why nothing is made at the moment. `untilMs`: when to look again; null: when an administrator has changed something. */
export interface Pause {
  reason: string
  untilMs: number | null
}

export interface TextMaker {
  kind: ModelTextKind
  /** Whether a file waits until its text is recognised. */
  isAfterRecognition: boolean
  /** Null while texts can be made. */
  pause(): Promise<Pause | null>
  /** Rejects with a `MakingError`, or with the reason of the signal. */
  make(file: FileOfText, signal: AbortSignal): Promise<{ content: ModelContent | null; model: string }>
}

/** `setup`: no file will succeed. `busy`: another try may succeed. `file`: this file fails for good. `none`: it needs no text. */
export type MakingFault = 'setup' | 'busy' | 'file' | 'none'

/** Its message is for administrators, and names neither the file nor anything in it. */
export class MakingError extends Error {
  override readonly name = 'MakingError'
  readonly fault: MakingFault
  readonly retryAfterMs: number | null
  constructor(fault: MakingFault, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}
