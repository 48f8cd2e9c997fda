// Which bytes are a recording, and how servers name its format.

const FORMATS: readonly [extension: string, type: string, head: RegExp][] = [
  ['mp3', 'audio/mpeg', /^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/],
  ['wav', 'audio/wav', /^RIFF.{4}WAVE/s],
  ['ogg', 'audio/ogg', /^OggS/],
  ['flac', 'audio/flac', /^fLaC/],
  ['webm', 'video/webm', /^\x1a\x45\xdf\xa3/],
  ['m4a', 'audio/mp4', /^.{4}ftypM4[AB] /s],
  ['mp4', 'video/mp4', /^.{4}ftyp(?:isom|iso\d|mp4\d|avc1|dash|M4V |MSNV)/s],
]

/** The bytes that `formatOfRecording` looks at. */
const HEAD_LENGTH = 12

export interface RecordingFormat {
  /** Without the dot. Servers tell the format of a file by it. */
  extension: string
  media_type: string
}

/** Null if the bytes are no recording, or of a format that servers do not take. `head`: the beginning of the file. */
export function formatOfRecording(head: Uint8Array): RecordingFormat | null {
  const first = Buffer.from(head.subarray(0, HEAD_LENGTH)).toString('latin1')
  const found = FORMATS.find(([, , signature]) => signature.test(first))
  return found === undefined ? null : { extension: found[0], media_type: found[1] }
}

/** Servers with the OpenAI API take no larger file. */
export const MAX_RECORDING_BYTES = 25_000_000

export const TOO_LARGE_RECORDING =
  'The recording has more than 25 MB, the limit of transcription. Compress it or split it into parts.'

const BYTES_PER_SECOND = 16_000

/** An estimate: most recordings have 128 kbit/s or less. Used when no server has told the length. */
export const estimateSeconds = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_PER_SECOND))
