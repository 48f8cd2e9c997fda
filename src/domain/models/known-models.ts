// Context windows by prefix of the model name, as published by the providers: https://platform.openai.com/docs/models,
// https://docs.anthropic.com/en/docs/about-claude/models, https://ai.google.dev/gemini-api/docs/models,
// https://docs.mistral.ai/getting-started/models

type ContextWindows = readonly (readonly [beginning: string, tokens: number])[]

/** The first matching prefix wins, so longer prefixes come first. */
const OPENAI: ContextWindows = [
  ['gpt-5-chat', 128_000],
  ['gpt-5', 272_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4-32k', 32_768],
  ['gpt-4', 8_192],
  ['gpt-3.5-turbo', 16_385],
  ['o1-mini', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4-mini', 200_000],
]
const CONTEXT_WINDOWS: Readonly<Record<string, ContextWindows>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: [['claude-', 200_000]],
  gemini: [
    ['gemini-1.5-pro', 2_097_152],
    ['gemini-', 1_048_576],
  ],
  mistral: [
    ['mistral-large', 131_072],
    ['mistral-medium', 131_072],
    ['mistral-small', 32_768],
  ],
}

/** Which models read pictures, by prefix of the name, as the same pages say. The first matching prefix wins. */
type ImageInputs = readonly (readonly [beginning: string, readsImages: boolean])[]

const OPENAI_IMAGES: ImageInputs = [
  ['gpt-4o-audio', false],
  ['gpt-5', true],
  ['gpt-4.1', true],
  ['gpt-4o', true],
  ['gpt-4-turbo-preview', false],
  ['gpt-4-turbo', true],
  ['gpt-4', false],
  ['gpt-3.5', false],
  ['o1-mini', false],
  ['o1-preview', false],
  ['o1', true],
  ['o3-mini', false],
  ['o3', true],
  ['o4-mini', true],
]
const IMAGE_INPUTS: Readonly<Record<string, ImageInputs>> = {
  openai: OPENAI_IMAGES,
  azure: OPENAI_IMAGES,
  anthropic: [
    ['claude-2', false],
    ['claude-instant', false],
    ['claude-', true],
  ],
  gemini: [
    ['gemini-1.0', false],
    ['gemini-embedding', false],
    ['gemini-', true],
  ],
  mistral: [['pixtral-', true]],
}

/** Null if it is not published for this kind of provider and this model. */
export const knownImageInput = (kind: string, model: string): boolean | null =>
  IMAGE_INPUTS[kind.toLowerCase()]?.find(([beginning]) => model.toLowerCase().startsWith(beginning))?.[1] ?? null

/** Null if the kind of provider is not listed: another server may use the name for a different model. */
export const knownContextWindow = (kind: string, model: string): number | null =>
  CONTEXT_WINDOWS[kind.toLowerCase()]?.find(([beginning]) => model.toLowerCase().startsWith(beginning))?.[1] ?? null
