// What is the answer, and on what does it rest? What can go wrong becomes packets here.

import { fitting, tokensIn } from '../domain/tokens.ts'
import type { CallableSpec, LanguageModel, ModelMessage, ModelRequest } from '../inference/language-model.ts'
import type { Tool } from '../tools/tool.ts'
import { callTools } from './call-tools.ts'
import { type Course, type CourseNeeds, openCourse } from './course.ts'
import { quoteAnswer } from './extractive.ts'
import { bestPieces, passagesOfFiles } from './files.ts'
import { listen, type Said } from './listen.ts'
import { packetsOf } from './packets.ts'
import { searchByPlan } from './plan.ts'
import { delivered, fenced, historyWithin, questionWith, systemPrompt } from './prompt.ts'
import { searchToolOf } from './search.ts'
import type { Answer, Turn } from './turn.ts'

export type AnswerNeeds = CourseNeeds

/** How often a model may ask for tools before it has to answer. */
const MAX_ROUNDS = 8
const MAX_ANSWER_MS = 600_000

export function createAnswer(needs: AnswerNeeds): Answer {
  return (turn) =>
    packetsOf(turn.signal, async (put, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_ANSWER_MS)])
      const course = openCourse(needs, turn, { put, signal: limit })
      try {
        await answerTo(course)
      } catch (error) {
        turn.signal.throwIfAborted()
        needs.logger.error({ err: error }, 'an answer failed in a way that it should not')
        course.put(course.nextStep(), {
          type: 'error',
          message: 'The answer failed for a fault of this service. Ask again.',
        })
      }
      conclude(course)
    })
}

async function answerTo(course: Course): Promise<void> {
  const { model, model_reason } = course.turn
  if (model === null) return await quoteAnswer(course, model_reason ?? 'No language model is set up.')
  const said =
    model.canCall && course.turn.tools.length > 0 ? await byCalls(course, model) : await byPlan(course, model)
  if (said.hasText) {
    course.by = 'model'
    return tellEnd(course, said)
  }
  await quoteAnswer(course, `The language model ${model.name} gave no answer: ${whyNothing(said)}.`)
}

/** What was said stays, and it is told that it is not whole. */
function tellEnd(course: Course, { reason, error }: Said): void {
  const why = reason === 'broken' ? `the language model broke off: ${error}` : ENDS[reason]
  if (why !== null) course.put(course.nextStep(), { type: 'error', message: `The answer is not complete: ${why}.` })
}

const ENDS: Record<Exclude<Said['reason'], 'broken'>, string | null> = {
  stop: null,
  calls: null,
  length: 'it became longer than the language model may answer',
  refusal: 'the language model would not go on',
}

function whyNothing({ reason, error }: Said): string {
  if (reason === 'broken') return (error ?? 'it failed').replace(/[.\s]+$/, '')
  if (reason === 'refusal') return 'it refused'
  if (reason === 'calls') return `it went on calling tools after ${MAX_ROUNDS} rounds`
  return reason === 'length' ? 'it reached its limit before it said anything' : 'it said nothing'
}

function conclude(course: Course): void {
  const step = course.nextStep()
  const { kept, removed } = course.guard.counts()
  if (removed > 0) course.put(step, { type: 'citations_removed', count: removed })
  const usage = course.usage()
  if (usage !== null) course.put(step, { type: 'token_usage', ...usage })
  course.meter.chatted({ by: course.by, seconds: (course.clock() - course.startedAt) / 1_000, kept, removed })
  course.put(step, { type: 'stop', stop_reason: null })
}

/** The model looks for what it needs, in up to so many rounds. */
async function byCalls(course: Course, model: LanguageModel): Promise<Said> {
  const messages = opening(course, model, { isCalling: true, besides: besidesOf(course, model) })
  const all = specsOf(course.turn.tools)
  for (let round = 0; ; round++) {
    const room = roomOf(model) - sizeOf(messages) - tokensIn(JSON.stringify(all))
    const isLast = round === MAX_ROUNDS || room < LEAST_ROOM
    const how = isLast
      ? { callables: all, choice: 'none' as const }
      : round === 0
        ? firstRound(course.turn)
        : { callables: all }
    const said = await listen(course, model, { ...requestOf(course, model, messages), ...how })
    // Its server has just said that it takes no tools.
    if (said.reason === 'broken' && !said.hasText && !model.canCall) return await byPlan(course, model)
    if (isLast || said.calls.length === 0 || said.reason === 'broken') return said
    const called = await callTools(course, said.calls, Math.min(MOST_OF_A_ROUND, Math.floor(room * SHARE_OF_A_ROUND)))
    messages.push({ role: 'assistant', content: said.text, calls: called.map((it) => it.call) })
    for (const { call, content } of called) messages.push({ role: 'tool', call_id: call.id, content })
  }
}

const specsOf = (tools: readonly Tool[]): CallableSpec[] =>
  tools.flatMap((it) => it.callables.map(({ name, description, parameters }) => ({ name, description, parameters })))

/** A tool that the person asked for comes first; one of several operations the model chooses itself. */
function firstRound({ tools, forced_tool_id }: Turn): Pick<ModelRequest, 'callables' | 'choice'> {
  const forced = specsOf(tools.filter((it) => it.id === forced_tool_id))
  const [first] = forced
  if (first === undefined) return { callables: specsOf(tools) }
  return forced.length === 1 ? { callables: forced, choice: { name: first.name } } : { callables: forced }
}

/** A model that cannot call is told what one search found. */
async function byPlan(course: Course, model: LanguageModel): Promise<Said> {
  const besides = besidesOf(course, model)
  const note = await searchByPlan(course, model)
  const room = roomOf(model) - sizeOf(opening(course, model, { isCalling: false, besides }))
  const delivery = course.shelf.put(course.found, Math.min(MOST_OF_A_ROUND, room))
  const found = delivered(course.nonce, note === null ? '' : fenced(course.nonce, { search: 'result' }, note), delivery)
  const messages = opening(course, model, { isCalling: false, besides: [...besides, found] })
  return listen(course, model, requestOf(course, model, messages))
}

/** Of what a model reads, its answer takes a quarter at most. */
const MOST_OUTPUT_TOKENS = 8_192
const outputOf = (model: LanguageModel) => Math.min(MOST_OUTPUT_TOKENS, Math.floor(model.max_input_tokens / 4))
const roomOf = (model: LanguageModel) => model.max_input_tokens - outputOf(model)

/** What a search brings helps less the longer it is, and costs more. */
const MOST_OF_A_ROUND = 16_000
/** The next round needs room, too. */
const SHARE_OF_A_ROUND = 0.6
/** With less, another round could tell the model nothing. */
const LEAST_ROOM = 600
const SHARE_OF_HISTORY = 0.25
const SHARE_OF_QUESTION = 0.4
const SHARE_OF_FILES = 0.4
const SHARE_OF_CONTEXT = 0.15

const requestOf = (course: Course, model: LanguageModel, messages: readonly ModelMessage[]): ModelRequest => ({
  messages,
  temperature: course.turn.temperature,
  max_output_tokens: outputOf(model),
  signal: course.signal,
})

const sizeOf = (messages: readonly ModelMessage[]): number => tokensIn(JSON.stringify(messages))

function opening(
  { turn, nonce, now }: Course,
  model: LanguageModel,
  { isCalling, besides }: { isCalling: boolean; besides: readonly string[] },
): ModelMessage[] {
  const room = roomOf(model)
  const message = fitting(turn.message, Math.floor(room * SHARE_OF_QUESTION))
  return [
    { role: 'system', content: systemPrompt({ ...turn, isCalling: isCalling && maySearch(turn), nonce, now: now() }) },
    ...historyWithin(turn.history, Math.floor(room * SHARE_OF_HISTORY)),
    { role: 'user', content: questionWith({ ...turn, message }, besides) },
  ]
}

const maySearch = (turn: Turn) => searchToolOf(turn.tools) !== undefined

/** What the person laid beside the question. */
function besidesOf(course: Course, model: LanguageModel): string[] {
  const { turn, nonce, shelf } = course
  const room = roomOf(model)
  const context = turn.additional_context?.trim() ?? ''
  const tokens = Math.floor(room * SHARE_OF_FILES)
  const files = bestPieces(turn.message, passagesOfFiles(turn.files), tokens)
  return [
    context === ''
      ? ''
      : fenced(nonce, { context: 'sent with the question' }, fitting(context, Math.floor(room * SHARE_OF_CONTEXT))),
    delivered(nonce, '', shelf.put(files, tokens)),
  ].filter((it) => it !== '')
}
