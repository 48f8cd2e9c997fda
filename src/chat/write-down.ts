// The question and the row of its answer: both are in the record before the first word, and nobody else answers in the
// same session meanwhile.
import { nameOf } from '../domain/chat.ts'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { findRunning, insertAnswer, insertQuestion, listSaid, type SaidMessage } from '../store/chat-messages.ts'
import { getChat, insertChat, type NewChat, type StoredChat } from '../store/chats.ts'
import type { Database } from '../store/database.ts'
import { getPersona, type StoredPersona } from '../store/personas.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { placeOf } from './branch.ts'
import { ALIVE_MS } from './look-after.ts'
import { checkFiles, type Question, toolIdsOf } from './question.ts'

/** Where a question is asked. */
export type Session = { id: string } | Omit<NewChat, 'id'>

export interface Asking {
  session: Session
  /** The message after which it is asked: AFTER_THE_LATEST, or null for the beginning. */
  parent_message_id: number | null
  question: Question
  /** Somebody sees what tools ask, and can answer. */
  isShown: boolean
}

export interface Written {
  chat: StoredChat
  persona: StoredPersona
  question: Question
  /** Of the branch, without the question itself. */
  history: SaidMessage[]
  user_message_id: number
  message_id: number
}

interface Needs {
  db: Database
  secrets: SecretBox
  now: () => number
  randomId: () => string
}

/** Refuses a session with an answer under way: SESSION_BUSY. */
export async function writeDown(
  needs: Needs,
  runner: string,
  subject: Subject,
  { session, parent_message_id, question }: Asking,
): Promise<Written> {
  const { db, now } = needs
  const personaId = 'id' in session ? (await getChat(db, subject, session.id)).persona_id : session.persona_id
  const persona = await getPersona(needs, subject, personaId)
  toolIdsOf(persona, question)
  const files = await checkFiles(db, subject, question.files)
  return db.transaction().execute(async (trx) => {
    const at = now()
    const { chat, place } = await placeIn({ ...needs, db: trx }, subject, session, { parent_message_id, question }, at)
    const isNew = place.kind === 'ask'
    const asked = isNew ? { message: question.message, files } : place.question
    const user_message_id = isNew
      ? await insertQuestion(trx, chat.id, { parent_id: place.parent_id, ...asked }, at)
      : place.question.id
    const answer = { parent_id: user_message_id, runner, alive_until: at + ALIVE_MS }
    const message_id = await insertAnswer(trx, chat.id, answer, at)
    const said = { ...question, message: asked.message, files: asked.files }
    return { chat, persona, question: said, history: place.history, user_message_id, message_id }
  })
}

async function placeIn(
  { db, randomId }: Omit<Needs, 'db'> & { db: Parameters<typeof getChat>[0] },
  subject: Subject,
  session: Session,
  { parent_message_id, question }: Pick<Asking, 'parent_message_id' | 'question'>,
  at: number,
) {
  if (!('id' in session)) {
    const name = session.name ?? nameOf(question.message)
    const chat = await insertChat(db, subject, { ...session, id: randomId(), name }, at)
    return { chat, place: placeOf<SaidMessage>([], null, null) }
  }
  const chat = await getChat(db, subject, session.id)
  if ((await findRunning(db, chat.id, at)) !== undefined) throw new AppError('SESSION_BUSY')
  return { chat, place: placeOf(await listSaid(db, chat.id), chat.latest_child_id, parent_message_id) }
}

/** What the client is told before the first packet. */
export const headOf = ({ session }: Asking, { chat, user_message_id, message_id }: Written): object[] => [
  ...('id' in session ? [] : [{ chat_session_id: chat.id, incognito: chat.incognito }]),
  { user_message_id, reserved_assistant_message_id: message_id },
]
