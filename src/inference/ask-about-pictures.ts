// Asks a model about pictures once and waits for the whole text, for work in the background.
import { type ImagePart, type LanguageModel, ModelError, type ModelFault } from './language-model.ts'

export interface PictureQuestion {
  /** The rule of the answer. Text in a picture is data: say here that the model must not follow it. */
  system: string
  message: string
  images: readonly ImagePart[]
  max_output_tokens: number
  signal: AbortSignal
}

export type PictureAnswer =
  | { text: string; failure: null }
  | {
      text: null
      failure: {
        /** A sentence for administrators, without key and address. */
        reason: string
        /** False if the same pictures would fail again: the server refused them, or the model cannot read pictures. */
        isTransient: boolean
        /** True if any picture would fail: the server rejects the key, does not know the model, or takes no pictures. */
        isOfModel: boolean
        /** How long the server asks clients to wait. */
        retryAfterMs: number | null
      }
    }

/** Rejects with the reason of the signal only, or on an internal error. An empty or truncated answer is a failure. */
export async function askAboutPictures(
  model: LanguageModel,
  { system, message, images, max_output_tokens, signal }: PictureQuestion,
): Promise<PictureAnswer> {
  const messages = [{ role: 'system', content: system } as const, { role: 'user', content: message, images } as const]
  if (!model.supportsImages)
    return failed(`${model.name} does not read pictures`, { isTransient: false, isOfModel: true })
  let text = ''
  try {
    for await (const event of model.stream({ messages, temperature: 0, max_output_tokens, signal })) {
      if (event.type === 'text') text += event.text
      if (event.type === 'end' && event.reason !== 'stop') {
        const why = event.reason === 'length' ? 'reached its maximum length' : 'refused to answer'
        return failed(`${event.model} ${why}`, { isTransient: false })
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    const isOfModel = OF_MODEL.has(error.fault) || !model.supportsImages
    return failed(error.message, {
      isTransient: error.fault !== 'refused',
      isOfModel,
      retryAfterMs: error.retryAfterMs,
    })
  }
  return text.trim() === ''
    ? failed(`${model.name} returned no text`, { isTransient: false })
    : { text: text.trim(), failure: null }
}

const OF_MODEL: ReadonlySet<ModelFault> = new Set(['unauthorized', 'unknown_model'])

const failed = (
  reason: string,
  {
    isTransient,
    isOfModel = false,
    retryAfterMs = null,
  }: { isTransient: boolean; isOfModel?: boolean; retryAfterMs?: number | null },
): PictureAnswer => ({ text: null, failure: { reason, isTransient, isOfModel, retryAfterMs } })
