// Produces the packets of an answer. Failures of models and tools become part of the answer; an internal error ends it.

import { estimateTokens, truncateToTokens } from '../../domain/models/token-estimate.ts'
import { trimEndCharacters, WHITESPACE } from '../../domain/values/trim.ts'
import {
  type CallableSpec,
  estimateMessageTokens,
  type LanguageModel,
  type ModelMessage,
  type ModelRequest,
  TOKENS_PER_IMAGE,
} from '../../inference/language-model.ts'
import type { Tool } from '../../tools/tool.ts'
import { MAX_ALL_BYTES, MAX_PICTURE_BYTES, MAX_PICTURES } from '../pictures/read-pictures.ts'
import { type AnswerContext, type AnswerContextDeps, createAnswerContext } from './answer-context.ts'
import { callTools } from './call-tools.ts'
import type { Answerer, ChatTurn } from './chat-turn.ts'
import { consumeStream, type ModelOutput } from './consume-stream.ts'
import { answerExtractively } from './extractive.ts'
import { filePassages, selectPassages } from './file-passages.ts'
import { streamPackets } from './packet-stream.ts'
import { buildQuestion, fenceData, fitHistory, formatPassages, listPictures, systemPrompt } from './prompt.ts'
import { findSearchTool } from './search-tool.ts'
import { runSingleSearch } from './single-search.ts'

export type AnswererDeps = AnswerContextDeps

/** How many rounds of tool calls a model gets before it must answer. */
const MAX_ROUNDS = 8
const MAX_ANSWER_DURATION_MS = 600_000

export function createAnswerer(deps: AnswererDeps): Answerer {
  return (turn) =>
    streamPackets(turn.signal, async (put, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_ANSWER_DURATION_MS)])
      const context = createAnswerContext(deps, turn, { put, signal: limit })
      try {
        await writeAnswer(context)
      } finally {
        if (!turn.signal.aborted) emitSummary(context)
      }
      context.emit(context.nextStep(), { type: 'stop', stop_reason: null })
    })
}

async function writeAnswer(context: AnswerContext): Promise<void> {
  const { model, model_reason, picture_model } = context.turn
  const failed = picture_model === null ? null : await answerFromPictures(context, picture_model)
  if (failed === 'answered') return
  if (model === null) return await answerExtractively(context, model_reason ?? 'No language model is configured.')
  // Without the pictures it would fail again.
  const isFinal = failed !== null && model === picture_model && !failed.isRefused
  const output = isFinal ? failed : await answerWith(context, model)
  if (output.hasText) {
    context.answeredBy = 'model'
    return reportIncompleteAnswer(context, output)
  }
  await answerExtractively(context, `The language model ${model.name} did not answer: ${explainEmptyOutput(output)}.`)
}

const answerWith = (context: AnswerContext, model: LanguageModel): Promise<ModelOutput> =>
  model.supportsTools && context.turn.tools.length > 0
    ? answerWithToolCalls(context, model)
    : answerWithSingleSearch(context, model)

/** Null if there is no picture that the model could get; else its output if it wrote nothing. */
async function answerFromPictures(
  context: AnswerContext,
  model: LanguageModel,
): Promise<ModelOutput | 'answered' | null> {
  const { pictures, omitted_pictures } = context.turn
  const fitting = Math.floor((promptBudget(model) * PICTURES_SHARE) / TOKENS_PER_IMAGE)
  context.pictures = pictures.slice(0, fitting)
  const omitted = omitted_pictures + pictures.slice(fitting).filter((it) => it.isNew).length
  if (omitted > 0) context.emit(context.nextStep(), { type: 'error', message: omittedText(omitted) })
  if (context.pictures.length === 0) return null
  const output = await answerWith(context, model)
  if (output.hasText) {
    context.answeredBy = 'model'
    reportIncompleteAnswer(context, output)
    return 'answered'
  }
  context.pictures = []
  context.passageStore.restart()
  const message = `The pictures were not read: ${explainEmptyOutput(output)}. The answer uses text only.`
  context.emit(context.nextStep(), { type: 'error', message })
  return output
}

const omittedText = (count: number): string =>
  `${count === 1 ? 'One picture was' : `${count} pictures were`} not sent to the model: a picture may have ${MAX_PICTURE_BYTES / 1_000_000} MB, a question ${MAX_PICTURES} pictures with ${MAX_ALL_BYTES / 1_000_000} MB in total, as far as the model has room for them.`

/** Keeps the partial answer and reports that it is incomplete. */
function reportIncompleteAnswer(context: AnswerContext, { reason, error }: ModelOutput): void {
  const why = reason === 'broken' ? `the language model stopped unexpectedly: ${error}` : INCOMPLETE_REASONS[reason]
  if (why !== null) context.emit(context.nextStep(), { type: 'error', message: `The answer is incomplete: ${why}.` })
}

const INCOMPLETE_REASONS: Record<Exclude<ModelOutput['reason'], 'broken'>, string | null> = {
  stop: null,
  calls: null,
  length: 'it reached the maximum length',
  refusal: 'the language model refused to continue',
}

function explainEmptyOutput({ reason, error }: ModelOutput): string {
  if (reason === 'broken') return trimEndCharacters(error ?? 'it failed', `.${WHITESPACE}`)
  if (reason === 'refusal') return 'it refused'
  if (reason === 'calls') return `it kept calling tools after ${MAX_ROUNDS} rounds`
  return reason === 'length' ? 'it reached its maximum length before any text' : 'it returned no text'
}

/** The sources of the answer and the parts removed from it, even if it broke off. */
function emitSummary(context: AnswerContext): void {
  const step = context.nextStep()
  const { kept, removed } = context.citationVerifier.counts()
  if (removed > 0) context.emit(step, { type: 'citations_removed', count: removed })
  const usage = context.usage()
  if (usage !== null) context.emit(step, { type: 'token_usage', ...usage })
  context.meter.countChat({
    by: context.answeredBy,
    seconds: (context.clock() - context.startedAt) / 1_000,
    kept,
    removed,
  })
}

/** Lets the model call tools in at most `MAX_ROUNDS` rounds. */
async function answerWithToolCalls(context: AnswerContext, model: LanguageModel): Promise<ModelOutput> {
  const messages = buildMessages(context, model, { usesTools: true, attachments: attachmentsOf(context, model) })
  const all = callableSpecs(context.turn.tools)
  for (let round = 0; ; round++) {
    const room = promptBudget(model) - estimateMessageTokens(messages) - estimateTokens(JSON.stringify(all))
    const isLast = round === MAX_ROUNDS || room < MIN_ROUND_TOKENS
    const how = isLast
      ? { callables: all, toolChoice: 'none' as const }
      : round === 0
        ? firstRoundOptions(context.turn)
        : { callables: all }
    const output = await consumeStream(context, model, { ...buildModelRequest(context, model, messages), ...how })
    // The server has just reported that it does not support tools.
    if (output.reason === 'broken' && !output.hasText && !model.supportsTools) {
      context.passageStore.restart()
      return await answerWithSingleSearch(context, model)
    }
    if (isLast || output.calls.length === 0 || output.reason === 'broken') return output
    const called = await callTools(context, output.calls, Math.min(MAX_ROUND_TOKENS, Math.floor(room * ROUND_SHARE)))
    messages.push({ role: 'assistant', content: output.text, calls: called.map((it) => it.call) })
    for (const { call, content } of called) messages.push({ role: 'tool', call_id: call.id, content })
  }
}

const callableSpecs = (tools: readonly Tool[]): CallableSpec[] =>
  tools.flatMap((it) => it.callables.map(({ name, description, parameters }) => ({ name, description, parameters })))

/** A tool that the user forces is called first; if it has several operations, the model chooses one. */
function firstRoundOptions({ tools, forced_tool_id }: ChatTurn): Pick<ModelRequest, 'callables' | 'toolChoice'> {
  const forced = callableSpecs(tools.filter((it) => it.id === forced_tool_id))
  const [first] = forced
  if (first === undefined) return { callables: callableSpecs(tools) }
  return forced.length === 1 ? { callables: forced, toolChoice: { name: first.name } } : { callables: forced }
}

/** Runs one search and puts its results into the prompt, for a model that cannot call tools. */
async function answerWithSingleSearch(context: AnswerContext, model: LanguageModel): Promise<ModelOutput> {
  const attachments = attachmentsOf(context, model)
  const note = await runSingleSearch(context, model)
  const room =
    promptBudget(model) - estimateMessageTokens(buildMessages(context, model, { usesTools: false, attachments }))
  const delivery = context.passageStore.add(context.foundPassages, Math.min(MAX_ROUND_TOKENS, room))
  const found = formatPassages(
    context.nonce,
    note === null ? '' : fenceData(context.nonce, { search: 'result' }, note),
    delivery,
  )
  const messages = buildMessages(context, model, { usesTools: false, attachments: [...attachments, found] })
  return consumeStream(context, model, buildModelRequest(context, model, messages))
}

/** The answer takes at most a quarter of the context window. */
const MOST_OUTPUT_TOKENS = 8_192
const maxOutputTokens = (model: LanguageModel) => Math.min(MOST_OUTPUT_TOKENS, Math.floor(model.max_input_tokens / 4))
const promptBudget = (model: LanguageModel) => model.max_input_tokens - maxOutputTokens(model)

/** Longer results help less and cost more. */
const MAX_ROUND_TOKENS = 16_000
/** The next round deps context, too. */
const ROUND_SHARE = 0.6
/** With fewer tokens, another round could not return anything useful. */
const MIN_ROUND_TOKENS = 600
const HISTORY_SHARE = 0.25
const QUESTION_SHARE = 0.4
const FILES_SHARE = 0.4
const PICTURES_SHARE = 0.5
const CONTEXT_SHARE = 0.15

const buildModelRequest = (
  context: AnswerContext,
  model: LanguageModel,
  messages: readonly ModelMessage[],
): ModelRequest => ({
  messages,
  temperature: context.turn.temperature,
  reasoning_effort: context.turn.reasoning_effort,
  max_output_tokens: maxOutputTokens(model),
  signal: context.signal,
})

/** The room for text. */
const textBudget = ({ pictures }: AnswerContext, model: LanguageModel): number =>
  promptBudget(model) - pictures.length * TOKENS_PER_IMAGE

function buildMessages(
  context: AnswerContext,
  model: LanguageModel,
  { usesTools, attachments }: { usesTools: boolean; attachments: readonly string[] },
): ModelMessage[] {
  const { turn, nonce, now, pictures } = context
  const room = textBudget(context, model)
  const images = pictures.map((it) => it.image)
  const message = truncateToTokens(turn.message, Math.floor(room * QUESTION_SHARE))
  return [
    {
      role: 'system',
      content: systemPrompt({
        ...turn,
        canSearch: usesTools && hasSearchTool(turn),
        hasPictures: images.length > 0,
        nonce,
        now: now(),
      }),
    },
    ...fitHistory(turn.history, Math.floor(room * HISTORY_SHARE)),
    {
      role: 'user',
      content: buildQuestion({ ...turn, message }, attachments),
      ...(images.length > 0 && { images }),
    },
  ]
}

const hasSearchTool = (turn: ChatTurn) => findSearchTool(turn.tools) !== undefined

/** The additional context and files that the user sent with the question. */
function attachmentsOf(context: AnswerContext, model: LanguageModel): string[] {
  const { turn, nonce, passageStore } = context
  const room = textBudget(context, model)
  const additionalContext = turn.additional_context?.trim() ?? ''
  const tokens = Math.floor(room * FILES_SHARE)
  const seen = new Set(context.pictures.map((it) => it.id))
  const read = turn.files.filter((it) => it.isUnread !== true || !seen.has(it.id))
  const files = selectPassages(turn.message, filePassages(read), tokens)
  return [
    listPictures(nonce, context.pictures),
    additionalContext === ''
      ? ''
      : fenceData(
          nonce,
          { context: 'sent with the question' },
          truncateToTokens(additionalContext, Math.floor(room * CONTEXT_SHARE)),
        ),
    formatPassages(nonce, '', passageStore.add(files, tokens)),
  ].filter((it) => it !== '')
}
