// Texts that a model made of a file: transcripts of recordings.
export const MODEL_TEXT_KINDS = ['transcript'] as const
export type ModelTextKind = (typeof MODEL_TEXT_KINDS)[number]
export type ModelTextState = 'waiting' | 'read' | 'failed'

/** A file of a document of which a model makes a text. */
export interface FileForModel {
  blob: string
  kind: ModelTextKind
  name: string
  /** Each section that shows it has its text. */
  isSettled: boolean
}

/** The answer of the model, as it is stored. */
export type ModelContent = { kind: 'transcript'; passages: TranscriptPassage[] }

/** A part of a transcript. `start`: whole seconds from the beginning of the recording. */
export interface TranscriptPassage {
  start: number
  text: string
}

/** The answers of models, by the name of the bytes. */
export type ModelContents = ReadonlyMap<string, ModelContent>
