// Chats: a question is stored and answered by a run, which its owner can read, leave, resume or stop.
// docs/decisions/0101-chat-runs.md describes the failure cases.
import type { ChatFullResponse } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { getChat, type StoredChat } from '../../store/chats/chats.ts'
import type { StoredPersona } from '../../store/chats/personas.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createActiveRuns } from './active-runs.ts'
import { type AnswerRun, type AnswerRunDeps, type AnswerRunLimits, startAnswerRun } from './answer-run.ts'
import { type ChatView, type ChatViewDeps, type ChatViewSource, getChatView } from './chat-view.ts'
import { EVENT_LOG_LIMITS, type EventReader } from './event-log.ts'
import { failInterruptedAnswers, runChatMaintenance } from './maintenance.ts'
import { prepareTurn, type TurnDeps } from './prepare-turn.ts'
import type { ChatQuestion } from './question.ts'
import { reducePackets } from './reduce-packets.ts'
import { headLines, type StartedTurn, type StartTurnRequest, startTurn } from './start-turn.ts'

export type { ChatMessageView, ChatView } from './chat-view.ts'
export type { EventReader, StreamLine } from './event-log.ts'
export type { ChatQuestion } from './question.ts'
export type { StartTurnRequest } from './start-turn.ts'

export interface StartedAnswer {
  chat_session_id: string
  message_id: number
  incognito: boolean
  read(signal: AbortSignal): EventReader
  /** Waits for the end; aborting the signal abandons the answer. */
  readAll(signal: AbortSignal): Promise<ChatFullResponse>
}

export interface Chats {
  /** Resolves when the question is stored and its answer has started. */
  start(subject: Subject, request: StartTurnRequest): Promise<StartedAnswer>
  /** Reads the answer that is running in the session, or ended a moment ago, from a cursor on. */
  resume(subject: Subject, sessionId: string, cursor: number, signal: AbortSignal): Promise<EventReader>
  /** Resolves when the answer has ended; does nothing if none is running. */
  stop(subject: Subject, sessionId: string): Promise<void>
  /** Stops the answers in all sessions of the subject. */
  stopAll(subject: Subject): Promise<void>
  /** Passes on the user's decision about a tool call that needs confirmation. */
  decide(subject: Subject, sessionId: string, confirmationId: string, approve: boolean): Promise<void>
  /** All messages as the subject may see them today, of an own or a shared session. */
  view(subject: Subject, sessionId: string, from: ChatViewSource): Promise<ChatView>
  /** Answers a question in an incognito session. */
  ask(subject: Subject, message: string, signal: AbortSignal): Promise<ChatFullResponse>
  /** How many tokens of documents a question may include. */
  contextTokens(subject: Subject, persona: StoredPersona): Promise<number>
  /** Runs until the signal aborts. */
  runMaintenance(signal: AbortSignal): Promise<void>
  /** Aborts every answer, waits for their ends, and rejects new ones. */
  close(): Promise<void>
}

export interface ChatsDeps extends Omit<TurnDeps, 'db'>, Omit<ChatViewDeps, 'db'>, AnswerRunDeps {
  secrets: SecretBox
  randomId: () => string
  /** No other process writes answers into this database. */
  isOnlyProcess: boolean
}

export const ANSWER_RUN_LIMITS: Readonly<AnswerRunLimits> = {
  ...EVENT_LOG_LIMITS,
  maxBytes: 8 << 20,
  maxDurationMs: 15 * 60_000,
  confirmTimeoutMs: 5 * 60_000,
}

export async function openChats(deps: ChatsDeps): Promise<Chats> {
  const runnerId = deps.randomId()
  const activeRuns = createActiveRuns()
  let isClosed = false
  await failInterruptedAnswers(deps)

  /** Undefined if nothing is running in an own session; throws SESSION_NOT_FOUND for another user's session. */
  const findRun = async (subject: Subject, sessionId: string): Promise<AnswerRun | undefined> => {
    const answerRun = activeRuns.find(subject.user_id, sessionId)
    if (answerRun === undefined) await getChat(deps.db, subject, sessionId)
    return answerRun
  }
  const chats: Chats = {
    async start(subject, request) {
      if (isClosed) throw new AppError('SHUTTING_DOWN')
      const startedTurn = await startTurn(deps, runnerId, subject, request)
      const answerRun = startRun(deps, subject, request, startedTurn)
      activeRuns.add(answerRun)
      if (isClosed) answerRun.abort('closing')
      return toStartedAnswer(answerRun, startedTurn.chat)
    },

    async resume(subject, sessionId, cursor, signal) {
      const answerRun = await findRun(subject, sessionId)
      if (answerRun === undefined) throw new AppError('NOTHING_ANSWERED')
      return answerRun.log.read(cursor, signal)
    },

    async stop(subject, sessionId) {
      const answerRun = await findRun(subject, sessionId)
      answerRun?.abort('stopped')
      await answerRun?.ended
    },

    stopAll: (subject) => activeRuns.abortAll('stopped', subject.user_id),

    async decide(subject, sessionId, confirmationId, approve) {
      const answerRun = await findRun(subject, sessionId)
      if (answerRun?.confirmations.decide(confirmationId, approve) !== true)
        throw new AppError('CONFIRMATION_NOT_FOUND')
    },

    view: (subject, sessionId, from) => getChatView(deps, subject, sessionId, from),

    async ask(subject, message, signal) {
      const session = { persona_id: 0, name: null, incognito: true, project_id: null }
      const request = { session, parent_message_id: null, question: plainQuestion(message), isInteractive: false }
      return (await chats.start(subject, request)).readAll(signal)
    },

    contextTokens: (subject, persona) => contextTokensOf(deps, subject, persona),
    runMaintenance: (signal) => runChatMaintenance(deps, runnerId, signal),

    async close() {
      isClosed = true
      await activeRuns.abortAll('closing')
    },
  }
  return chats
}

/** Without a model: about as much as an extractive answer reads. */
const DEFAULT_INPUT_TOKENS = 16_000
const DOCUMENTS_SHARE = 0.5

async function contextTokensOf({ chooseModel }: ChatsDeps, subject: Subject, persona: StoredPersona): Promise<number> {
  const { model } = await chooseModel({ subject, persona, override: null })
  return Math.floor((model?.max_input_tokens ?? DEFAULT_INPUT_TOKENS) * DOCUMENTS_SHARE)
}

const startRun = (deps: ChatsDeps, subject: Subject, request: StartTurnRequest, startedTurn: StartedTurn): AnswerRun =>
  startAnswerRun(deps, {
    chat_session_id: startedTurn.chat.id,
    owner: startedTurn.chat.owner,
    message_id: startedTurn.message_id,
    head: headLines(request, startedTurn),
    isInteractive: request.isInteractive,
    prepareTurn: (confirm, signal) => prepareTurn(deps, startedTurn, { subject, confirm, signal }),
  })

function toStartedAnswer(answerRun: AnswerRun, { id: chat_session_id, incognito }: StoredChat): StartedAnswer {
  const { log, message_id } = answerRun
  return {
    chat_session_id,
    message_id,
    incognito,
    read: (signal) => log.read(0, signal),
    async readAll(signal) {
      for await (const _ of log.read(0, signal));
      return { ...reducePackets(log.packets), message_id, chat_session_id, incognito }
    },
  }
}

const plainQuestion = (message: string): ChatQuestion => ({
  message,
  files: [],
  filters: {},
  allowed_tool_ids: null,
  forced_tool_id: null,
  modelOverride: null,
  temperature: null,
  include_citations: true,
  additional_context: null,
  remoteHeaders: {},
})
