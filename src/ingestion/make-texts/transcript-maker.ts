// Makes transcripts of recordings, within a budget of minutes a day.
import {
  estimateSeconds,
  formatOfRecording,
  MAX_RECORDING_BYTES,
  TOO_LARGE_RECORDING,
} from '../../domain/made-texts/recording-format.ts'
import { joinPassages } from '../../domain/made-texts/transcript.ts'
import { type Transcribe, TranscriptionError } from '../../inference/transcription/transcriber.ts'
import type { Database } from '../../store/database/database.ts'
import { addModelUsage, readModelUsage } from '../../store/made-texts/model-text-usage.ts'
import { findTranscriptionModel, type TranscriptionModel } from '../../store/made-texts/transcription-model.ts'
import { startOfNextUtcDay } from '../../store/models/token-usage.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { type FileOfText, MakingError, type Pause, type TextMaker } from './maker.ts'

export const NO_TRANSCRIPTION_MODEL =
  'No transcription model is set up. An administrator can set one up on the page "Ingestion".'
const LOST_KEY = 'The key of the transcription model cannot be decrypted. Enter it again on the page "Ingestion".'

export interface TranscriptMakerDeps {
  db: Database
  secrets: SecretBox
  transcribe: Transcribe
  now: () => number
}

export const createTranscriptMaker = (deps: TranscriptMakerDeps): TextMaker => ({
  kind: 'transcript',
  isAfterRecognition: false,
  pause: () => findPause(deps),
  make: (file, signal) => makeTranscript(deps, file, signal),
})

async function findPause({ db, secrets, now }: TranscriptMakerDeps): Promise<Pause | null> {
  const model = await findTranscriptionModel({ db, secrets })
  if (model === null) return { reason: NO_TRANSCRIPTION_MODEL, untilMs: null }
  if (model.isKeyLost) return { reason: LOST_KEY, untilMs: null }
  const { minutes_per_day } = model
  if ((await readModelUsage(db, 'transcript', now())) < minutes_per_day * 60) return null
  const reason = `The ${minutes_per_day} minutes of recordings for today are used. Transcription goes on at midnight UTC.`
  return { reason, untilMs: startOfNextUtcDay(now()) }
}

async function makeTranscript(
  { db, secrets, transcribe, now }: TranscriptMakerDeps,
  file: FileOfText,
  signal: AbortSignal,
) {
  if (file.bytes.length > MAX_RECORDING_BYTES) throw new MakingError('file', TOO_LARGE_RECORDING)
  const format = formatOfRecording(file.bytes)
  if (format === null) throw new MakingError('file', 'The format of the recording is not supported.')
  const model = await findTranscriptionModel({ db, secrets })
  if (model === null) throw new MakingError('setup', NO_TRANSCRIPTION_MODEL)
  const startedAt = now()
  // The estimate counts before the call, so that a crash in between does not spend more than the budget.
  const estimated = estimateSeconds(file.bytes.length)
  await addModelUsage(db, 'transcript', estimated, startedAt)
  try {
    const said = await transcribe(serverOf(model), { bytes: file.bytes, format }, signal)
    if (said.seconds !== null) await addModelUsage(db, 'transcript', Math.ceil(said.seconds) - estimated, startedAt)
    return { content: { kind: 'transcript' as const, passages: joinPassages(said.passages) }, model: model.model }
  } catch (error) {
    if (!(error instanceof TranscriptionError)) throw error
    // A refused call has used nothing. A call that was cut off may have.
    if (error.fault !== 'busy') await addModelUsage(db, 'transcript', -estimated, startedAt)
    throw new MakingError(error.fault, error.message, error.retryAfterMs)
  }
}

const serverOf = ({ url, api_key: key, model, language }: TranscriptionModel) => ({ url, key, model, language })
