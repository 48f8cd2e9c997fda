import type { ReasoningEffort } from '../../domain/chat/chat.ts'
import type { Packet } from '../../domain/chat/packet.ts'
import type { Filters } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import type { StoredPersona } from '../../store/chats/personas.ts'
import type { PendingCall, Tool } from '../../tools/tool.ts'
import type { TurnPicture } from '../pictures/read-pictures.ts'

/** A file attached to the question, as text. */
export interface AttachedFile {
  id: string
  name: string
  text: string
  /** The text says only why there is none. */
  isUnread?: boolean
}

/** One question and everything that its answer may use. */
export interface ChatTurn {
  subject: Subject
  message: string
  /** Previous messages on this branch, oldest first. */
  history: readonly { role: 'user' | 'assistant'; content: string }[]
  persona: StoredPersona
  /** A description of the company, as set by an administrator. */
  company?: string
  /** The instructions of the project that the session belongs to, by the person who asks. */
  project?: string
  filters: Filters
  files: readonly AttachedFile[]
  /** Pictures of this question, then of earlier ones, as far as `picture_model` may get them. */
  pictures: readonly TurnPicture[]
  /** How many pictures of the question are not among `pictures`, because they are too large or too many. */
  omitted_pictures: number
  /** The model of the chat if it reads pictures, else the default vision model. Null if there is none. */
  picture_model: LanguageModel | null
  /** The tools of the persona that the request allows. */
  tools: readonly Tool[]
  /** The model must call this tool first. */
  forced_tool_id: number | null
  /** Null if none is configured or allowed; `model_reason` then says why, as a sentence for the user. */
  model: LanguageModel | null
  model_reason: string | null
  temperature: number | null
  reasoning_effort: ReasoningEffort | null
  include_citations: boolean
  additional_context: string | null
  remoteHeaders: Readonly<Record<string, string>>
  confirm(call: PendingCall, confirmation_id: string): Promise<boolean>
  signal: AbortSignal
}

/**
 * Yields the packets of an answer, `stop` last. Failures become packets: rejects only with the reason of the signal, or
 * on an internal error.
 */
export type Answerer = (turn: ChatTurn) => AsyncIterable<Packet>
