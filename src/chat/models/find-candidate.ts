// Finds the model that a request, a persona or a chat names, among those that the subject may use.
import type { LlmModel, LlmProvider } from '../../store/models/llm-providers.ts'

export interface ModelCandidate {
  provider: LlmProvider
  /** The address of the provider. */
  url: string
  model: LlmModel
}

type Found = ModelCandidate | undefined

export const findCandidateById = (candidates: readonly ModelCandidate[], id: number | null | undefined): Found =>
  typeof id === 'number' ? candidates.find(({ model }) => model.id === id) : undefined

/** `provider` is the name of a provider, or its kind. */
export function findCandidateByName(
  candidates: readonly ModelCandidate[],
  provider: string | null | undefined,
  version: string | null | undefined,
): Found {
  if (!provider && !version) return undefined
  const fits = ({ provider: it, model }: ModelCandidate) =>
    (!provider || it.name === provider || it.provider === provider) && (!version || model.name === version)
  return candidates.find((it) => fits(it) && it.provider.name === provider) ?? candidates.find(fits)
}

const SEPARATOR = '__'

/**
 * Finds a model by the one text that chats keep: `provider__model`, `provider__kind__model`, or only the model. Names may
 * hold the separator themselves, so the text is compared with what each candidate is called, and never split.
 */
export function findCandidateByText(candidates: readonly ModelCandidate[], text: string | null | undefined): Found {
  if (!text) return undefined
  const called = (namesOf: (candidate: ModelCandidate) => readonly string[]) =>
    candidates.find((it) => namesOf(it).join(SEPARATOR) === text)
  return (
    called(({ provider, model }) => [provider.name, model.name]) ??
    called(({ provider, model }) => [provider.name, provider.provider, model.name]) ??
    called(({ provider, model }) => [provider.provider, model.name]) ??
    called(({ model }) => [model.name]) ??
    candidates.find((it) => begins(text, it.provider.name) && ends(text, it.model.name))
  )
}

/** A client may know the provider as another kind. */
const begins = (text: string, provider: string) => text.startsWith(`${provider}${SEPARATOR}`)
const ends = (text: string, model: string) => text.endsWith(`${SEPARATOR}${model}`)
