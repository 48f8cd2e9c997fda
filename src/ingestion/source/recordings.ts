// Recordings of a source: their section gets the transcript when a model has made it.
import type { ExtractInput, SourceExtraction } from '../../connectors/connector.ts'
import { MAX_RECORDING_BYTES, TOO_LARGE_RECORDING } from '../../domain/made-texts/recording-format.ts'
import type { KnownRecording } from '../../domain/made-texts/transcript.ts'

export interface RecordingKeeper {
  /** Why no transcripts are made; null if they are. */
  offReason(): Promise<string | null>
  /** Keeps the bytes until the transcript is made. Returns what was said, if it is known already. */
  keep(file: { bytes: Uint8Array; name: string }): Promise<KnownRecording>
}

/** Adds the section of a recording, or the reason why it has none. Other files stay as they are. */
export async function addRecording(
  keeper: RecordingKeeper,
  { bytes, name, isPictureRead = false }: ExtractInput,
  extraction: SourceExtraction,
): Promise<SourceExtraction> {
  if (extraction.report.kind !== 'recording' || !isPictureRead) return extraction
  const reason = bytes.length > MAX_RECORDING_BYTES ? TOO_LARGE_RECORDING : await keeper.offReason()
  if (reason !== null) return withWarnings(extraction, [{ code: 'unsupported', detail: reason }])
  const recording = await keeper.keep({ bytes, name })
  const section = { text: '', heading: null, anchor: null, recording }
  const read = withWarnings(extraction, [])
  return { ...read, sections: [section], report: { ...read.report, verdict: 'ok' } }
}

const withWarnings = (
  extraction: SourceExtraction,
  warnings: SourceExtraction['report']['warnings'],
): SourceExtraction => ({ ...extraction, report: { ...extraction.report, warnings } })
