// Conversations: a question is written down, answered by a run of its own, and whoever asked may read, leave, come back
// or stop it. docs/decisions/0101-chat-runs.md says what happens when something breaks.
import type { ChatFullResponse } from '../domain/chat.ts'
import { AppError } from '../domain/errors.ts'
import { ownerOf, type Subject } from '../domain/subject.ts'
import { getChat, type StoredChat } from '../store/chats.ts'
import type { StoredPersona } from '../store/personas.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { fold } from './fold.ts'
import { begin, type Live, type LiveLimits, type LiveNeeds } from './live.ts'
import { createLives } from './lives.ts'
import { finishBroken, lookAfter } from './look-after.ts'
import { type Question, type TurnNeeds, turnOf } from './question.ts'
import { type Reader, RUN_LIMITS } from './run.ts'
import { type ShowNeeds, type ShownChat, show } from './show.ts'
import { type Asking, headOf, type Written, writeDown } from './write-down.ts'

export type { Question } from './question.ts'
export type { Reader, StreamLine } from './run.ts'
export type { ShownChat, ShownMessage } from './show.ts'
export type { Asking } from './write-down.ts'

export interface Started {
  chat_session_id: string
  message_id: number
  incognito: boolean
  read(signal: AbortSignal): Reader
  /** Waits for the end; the answer is given up when the signal aborts. */
  whole(signal: AbortSignal): Promise<ChatFullResponse>
}

export interface Talk {
  /** The question is in the record when this resolves, and its answer is begun. */
  start(subject: Subject, asking: Asking): Promise<Started>
  /** The answer that is being written in the session, or was until a moment ago, from a cursor on. */
  resume(subject: Subject, sessionId: string, cursor: number, signal: AbortSignal): Promise<Reader>
  /** The answer has ended when this resolves; where none is written nothing happens. */
  stop(subject: Subject, sessionId: string): Promise<void>
  /** Of all sessions of the subject. */
  stopAll(subject: Subject): Promise<void>
  /** What the person says to a tool that asked before it writes. */
  decide(subject: Subject, sessionId: string, confirmationId: string, approve: boolean): Promise<void>
  /** All messages as the subject may see them today: of an own session, or of one that was shared. */
  show(subject: Subject, sessionId: string, from: 'own' | 'shared'): Promise<ShownChat>
  /** A question that leaves no session behind. */
  ask(subject: Subject, message: string, signal: AbortSignal): Promise<ChatFullResponse>
  /** How many tokens of documents a question may bring along. */
  contextTokens(subject: Subject, persona: StoredPersona): Promise<number>
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Ends every answer and waits for that; nothing is begun any more. */
  close(): Promise<void>
}

export interface TalkNeeds extends Omit<TurnNeeds, 'db'>, Omit<ShowNeeds, 'db'>, LiveNeeds {
  secrets: SecretBox
  randomId: () => string
  /** No other process writes answers into this record. */
  isAlone: boolean
}

export const TALK_LIMITS: Readonly<LiveLimits> = {
  ...RUN_LIMITS,
  maxBytes: 8 << 20,
  maxMs: 15 * 60_000,
  confirmMs: 5 * 60_000,
}

export async function openTalk(needs: TalkNeeds): Promise<Talk> {
  const runner = needs.randomId()
  const lives = createLives()
  let isClosed = false
  await finishBroken(needs)

  /** Undefined for an own session in which nothing is written; one of somebody else is SESSION_NOT_FOUND. */
  const liveIn = async (subject: Subject, sessionId: string): Promise<Live | undefined> => {
    const live = lives.find(ownerOf(subject), sessionId)
    if (live === undefined) await getChat(needs.db, subject, sessionId)
    return live
  }
  const talk: Talk = {
    async start(subject, asking) {
      if (isClosed) throw new AppError('SHUTTING_DOWN')
      const written = await writeDown(needs, runner, subject, asking)
      const live = begun(needs, subject, asking, written)
      lives.add(live)
      if (isClosed) live.abort('closing')
      return startedOf(live, written.chat)
    },

    async resume(subject, sessionId, cursor, signal) {
      const live = await liveIn(subject, sessionId)
      if (live === undefined) throw new AppError('NOTHING_ANSWERED')
      return live.run.read(cursor, signal)
    },

    async stop(subject, sessionId) {
      const live = await liveIn(subject, sessionId)
      live?.abort('stopped')
      await live?.ended
    },

    stopAll: (subject) => lives.end('stopped', ownerOf(subject)),

    async decide(subject, sessionId, confirmationId, approve) {
      const live = await liveIn(subject, sessionId)
      if (live?.confirmations.decide(confirmationId, approve) !== true) throw new AppError('CONFIRMATION_NOT_FOUND')
    },

    show: (subject, sessionId, from) => show(needs, subject, sessionId, from),

    async ask(subject, message, signal) {
      const session = { persona_id: 0, name: null, incognito: true }
      const asking = { session, parent_message_id: null, question: plainQuestion(message), isShown: false }
      return (await talk.start(subject, asking)).whole(signal)
    },

    contextTokens: (subject, persona) => contextTokens(needs, subject, persona),
    run: (signal) => lookAfter(needs, runner, signal),

    async close() {
      isClosed = true
      await lives.end('closing')
    },
  }
  return talk
}

/** Without a model, about what an answer that quotes looks at. */
const DEFAULT_INPUT_TOKENS = 16_000
const SHARE_OF_DOCUMENTS = 0.5

async function contextTokens({ pick }: TalkNeeds, subject: Subject, persona: StoredPersona): Promise<number> {
  const { model } = await pick({ subject, persona, override: null })
  return Math.floor((model?.max_input_tokens ?? DEFAULT_INPUT_TOKENS) * SHARE_OF_DOCUMENTS)
}

const begun = (needs: TalkNeeds, subject: Subject, asking: Asking, written: Written): Live =>
  begin(needs, {
    chat_session_id: written.chat.id,
    owner: written.chat.owner,
    message_id: written.message_id,
    head: headOf(asking, written),
    isShown: asking.isShown,
    turn: (confirm, signal) => turnOf(needs, { subject, ...written, confirm, signal }),
  })

function startedOf(live: Live, { id: chat_session_id, incognito }: StoredChat): Started {
  const { run, message_id } = live
  return {
    chat_session_id,
    message_id,
    incognito,
    read: (signal) => run.read(0, signal),
    async whole(signal) {
      for await (const _ of run.read(0, signal));
      return { ...fold(run.packets), message_id, chat_session_id, incognito }
    },
  }
}

const plainQuestion = (message: string): Question => ({
  message,
  files: [],
  filters: {},
  allowed_tool_ids: null,
  forced_tool_id: null,
  override: null,
  temperature: null,
  include_citations: true,
  additional_context: null,
  authorization: null,
  remoteHeaders: {},
})
