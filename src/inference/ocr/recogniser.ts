// Recognises text in pictures, one at a time, in a process that is started by need and ends when it is idle.
import { existsSync } from 'node:fs'
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { explainMissingRuntime } from '../local/local-models.ts'
import { CHARACTERS_PATH, DETECT_PATH, RECOGNISE_PATH } from './model-files.ts'
import { type RecogniserProcess, startRecogniserProcess } from './process/process-of-pictures.ts'
import type { RecognisedText } from './process/recogniser-messages.ts'
import { RecognitionError } from './recognition-error.ts'

export type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
export type { RecognisedText } from './process/recogniser-messages.ts'
export { RecognitionError } from './recognition-error.ts'

export interface TextRecogniser {
  /**
   * One picture at a time; others wait in the order of the calls. Rejects with the reason of `signal`, with a
   * RecognitionError if this picture cannot be read, and after `close`.
   */
  recognise(picture: GreyPicture, signal: AbortSignal): Promise<RecognisedText>
  /** Ends the process and the picture that it reads. */
  close(): Promise<void>
}

export interface RecogniserLimits {
  /** The process ends after this time without a picture. */
  idleMs: number
  /** Processor time for one picture. */
  processorMs: number
  /** The time for one picture, also on a machine that is busy with others. */
  timeoutMs: number
  /** The process is replaced after as many pictures. */
  picturesPerProcess: number
  /** Resident memory at which the process is killed. */
  memoryBytes: number
}

/** A dense page takes 10 seconds of processor time, and much longer on a busy machine: its priority is low. */
const LIMITS: RecogniserLimits = {
  idleMs: 60_000,
  processorMs: 120_000,
  timeoutMs: 1_800_000,
  picturesPerProcess: 50,
  memoryBytes: 1 << 30,
}
/** The next picture needs up to 400 MB more. A new process costs less than half a second. */
const MAX_HELD_BYTES = 500 << 20
/** An A3 page at 400 dpi has 31 million. */
const MAX_PIXELS = 40_000_000

export function createTextRecogniser(options: Partial<RecogniserLimits> = {}): TextRecogniser {
  const limits = { ...LIMITS, ...options }
  const semaphore = createSemaphore(1)
  const closing = new AbortController()
  let current: RecogniserProcess | undefined
  let pictures = 0
  let idle: NodeJS.Timeout | undefined

  return {
    async recognise(picture, signal) {
      signal.throwIfAborted()
      checkPicture(picture)
      const ends = AbortSignal.any([signal, closing.signal])
      return semaphore.run(() => readInProcess(picture, ends), ends)
    },
    async close() {
      closing.abort(new RecognitionError('The text recogniser is closed. Start the service again.'))
      await endProcess()
    },
  }

  async function readInProcess(picture: GreyPicture, signal: AbortSignal): Promise<RecognisedText> {
    clearTimeout(idle)
    if (current?.hasEnded()) await endProcess()
    current ??= startRecogniserProcess(limits)
    pictures++
    const limit = AbortSignal.timeout(limits.timeoutMs)
    try {
      const recognised = await current.read(picture, AbortSignal.any([signal, limit]))
      if (pictures >= limits.picturesPerProcess || current.heldBytes() > MAX_HELD_BYTES) await endProcess()
      else idle = setTimeout(() => void endProcess(), limits.idleMs).unref()
      return recognised
    } catch (error) {
      await endProcess()
      signal.throwIfAborted()
      if (error !== limit.reason) throw error
      const seconds = limits.timeoutMs / 1_000
      throw new RecognitionError(
        `The text of the picture was not read in ${seconds} seconds. Try it again when the machine is less busy.`,
      )
    }
  }

  async function endProcess(): Promise<void> {
    clearTimeout(idle)
    const ending = current
    current = undefined
    pictures = 0
    await ending?.end()
  }
}

function checkPicture({ width, height, pixels }: GreyPicture): void {
  const isWhole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0
  if (!isWhole || pixels.length !== width * height)
    throw new RecognitionError(
      `The picture is damaged: it has ${pixels.length} pixels for ${width} times ${height}. Send the file again.`,
    )
  if (pixels.length > MAX_PIXELS)
    throw new RecognitionError(
      `The picture has ${Math.ceil(pixels.length / 1e6)} million pixels. Use one of at most ${MAX_PIXELS / 1e6} million.`,
    )
}

/** Why no text can be recognised here, as far as can be seen without trying; null if it should work. */
export function explainMissingRecogniser(system: Pick<NodeJS.Process, 'platform' | 'arch'>): string | null {
  const missing = [DETECT_PATH, RECOGNISE_PATH, CHARACTERS_PATH].find((it) => !existsSync(it))
  return explainMissingRuntime(system) ?? (missing === undefined ? null : `${missing} is missing`)
}
