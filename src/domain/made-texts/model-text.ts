// Texts that a model made of a file: transcripts of recordings, captions of pictures.
export const MODEL_TEXT_KINDS = ['transcript', 'caption'] as const
export type ModelTextKind = (typeof MODEL_TEXT_KINDS)[number]

/** `skipped`: none is made, for a reason. `removed`: an administrator deleted the text. */
export type ModelTextState = 'waiting' | 'read' | 'failed' | 'skipped' | 'removed'

/** A file of a document of which a model makes a text. */
export interface FileForModel {
  blob: string
  kind: ModelTextKind
  name: string
  /** Each section that shows it has its text. */
  isSettled: boolean
}

/** The answer of the model, as it is stored. */
export type ModelContent =
  | { kind: 'transcript'; passages: TranscriptPassage[] }
  /** A few sentences, in one line. */
  | { kind: 'caption'; text: string }

/** A part of a transcript. `start`: whole seconds from the beginning of the recording. */
export interface TranscriptPassage {
  start: number
  text: string
}

/** The answers of models, by the name of the bytes. */
export type ModelContents = ReadonlyMap<string, ModelContent>
