// Stores the question and the row of its answer before the first packet, and locks the session against a second answer.
import { defaultChatName } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { getChat, insertChat, type NewChat, type StoredChat } from '../../store/chats/chats.ts'
import {
  findRunningAnswer,
  insertAnswer,
  insertQuestion,
  listMessagesWithoutPackets,
  type MessageWithoutPackets,
} from '../../store/chats/messages.ts'
import { getPersona, type StoredPersona } from '../../store/chats/personas.ts'
import type { Database } from '../../store/database/database.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { resolveBranchPoint } from './branch.ts'
import { LEASE_MS } from './maintenance.ts'
import { allowedToolIds, type ChatQuestion, resolveFiles } from './question.ts'

/** An existing session, or a new one. */
export type ChatTarget = { id: string } | Omit<NewChat, 'id'>

export interface StartTurnRequest {
  session: ChatTarget
  /** The message that the question follows: AFTER_LATEST_MESSAGE, or null for the root. */
  parent_message_id: number | null
  question: ChatQuestion
  /** A user sees and can answer confirmation requests. */
  isInteractive: boolean
}

export interface StartedTurn {
  chat: StoredChat
  persona: StoredPersona
  question: ChatQuestion
  /** Previous messages on this branch. */
  history: MessageWithoutPackets[]
  user_message_id: number
  message_id: number
}

interface StartTurnDeps {
  db: Database
  secrets: SecretBox
  now: () => number
  randomId: () => string
}

/** Throws SESSION_BUSY while an answer is running in the session. */
export async function startTurn(
  deps: StartTurnDeps,
  runnerId: string,
  subject: Subject,
  { session, parent_message_id, question }: StartTurnRequest,
): Promise<StartedTurn> {
  const { db, now } = deps
  const personaId = 'id' in session ? (await getChat(db, subject, session.id)).persona_id : session.persona_id
  const persona = await getPersona(deps, subject, personaId)
  allowedToolIds(persona, question)
  const files = await resolveFiles(db, subject, question.files)
  const sources = question.filters.source_types ?? []
  return db.transaction().execute(async (trx) => {
    const at = now()
    const { chat, branchPoint } = await resolveChat(
      { ...deps, db: trx },
      subject,
      session,
      { parent_message_id, question },
      at,
    )
    const isNew = branchPoint.kind === 'ask'
    const asked = isNew ? { message: question.message, files, sources } : branchPoint.question
    const user_message_id = isNew
      ? await insertQuestion(trx, chat.id, { parent_id: branchPoint.parent_id, ...asked }, at)
      : branchPoint.question.id
    const answer = { parent_id: user_message_id, runner: runnerId, alive_until: at + LEASE_MS }
    const message_id = await insertAnswer(trx, chat.id, answer, at)
    const storedQuestion = { ...question, ...askedParts(question, asked) }
    return { chat, persona, question: storedQuestion, history: branchPoint.history, user_message_id, message_id }
  })
}

/** A question that is asked again keeps its sources, unless the request names others. */
function askedParts(
  { filters }: ChatQuestion,
  { message, files, sources }: Pick<MessageWithoutPackets, 'message' | 'files'> & { sources: readonly string[] },
): Pick<ChatQuestion, 'message' | 'files' | 'filters'> {
  const isNamed = filters.source_types !== undefined || sources.length === 0
  return { message, files, filters: isNamed ? filters : { ...filters, source_types: sources } }
}

async function resolveChat(
  { db, randomId }: Omit<StartTurnDeps, 'db'> & { db: Parameters<typeof getChat>[0] },
  subject: Subject,
  session: ChatTarget,
  { parent_message_id, question }: Pick<StartTurnRequest, 'parent_message_id' | 'question'>,
  at: number,
) {
  if (!('id' in session)) {
    const name = session.name ?? defaultChatName(question.message)
    const chat = await insertChat(db, subject, { ...session, id: randomId(), name }, at)
    return { chat, branchPoint: resolveBranchPoint<MessageWithoutPackets>([], null, null) }
  }
  const chat = await getChat(db, subject, session.id)
  if ((await findRunningAnswer(db, chat.id, at)) !== undefined) throw new AppError('SESSION_BUSY')
  return {
    chat,
    branchPoint: resolveBranchPoint(
      await listMessagesWithoutPackets(db, chat.id),
      chat.latest_child_id,
      parent_message_id,
    ),
  }
}

/** The lines that precede the first packet. */
export const headLines = (
  { session }: StartTurnRequest,
  { chat, user_message_id, message_id }: StartedTurn,
): object[] => [
  ...('id' in session ? [] : [{ chat_session_id: chat.id, incognito: chat.incognito }]),
  { user_message_id, reserved_assistant_message_id: message_id },
]
