// Messages between the service and the process that recognises text.
export interface RecognisedText {
  /**
   * The lines in reading order, separated by line feeds, with an empty line between blocks. Empty if no text was found.
   */
  text: string
  /** The mean over the characters, 0 to 1; 1 if no text was found. */
  confidence: number
}

/** The answer to a picture, which is sent as it is. */
export type RecogniserReply = { recognised: RecognisedText; heldBytes: number } | { failure: string }

/** Written to stderr by the watchdog before it kills the process. */
export const MEMORY_LIMIT_MARKER = 'pharos: memory limit'
export const TIME_LIMIT_MARKER = 'pharos: time limit'
