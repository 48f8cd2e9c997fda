import type { Packet } from '../domain/packet.ts'
import type { Filters } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import type { StoredPersona } from '../store/personas.ts'
import type { PendingCall, Tool } from '../tools/tool.ts'

/** A file that the person laid beside the question, read. */
export interface AttachedFile {
  id: string
  name: string
  text: string
}

/** One question, and all that its answer may be made of. */
export interface Turn {
  subject: Subject
  message: string
  /** What was said before on this branch of the session, oldest first. */
  history: readonly { role: 'user' | 'assistant'; content: string }[]
  persona: StoredPersona
  filters: Filters
  files: readonly AttachedFile[]
  /** Those that the persona has and the request allows. */
  tools: readonly Tool[]
  /** The model has to call this one first. */
  forced_tool_id: number | null
  /** Null: none is set up, or none may be asked; `model_reason` says why in a sentence for the person. */
  model: LanguageModel | null
  model_reason: string | null
  temperature: number | null
  include_citations: boolean
  additional_context: string | null
  authorization: string | null
  remoteHeaders: Readonly<Record<string, string>>
  confirm(call: PendingCall, confirmation_id: string): Promise<boolean>
  signal: AbortSignal
}

/**
 * The packets of an answer, `stop` the last. What can go wrong becomes packets: it rejects only with the reason of the
 * signal, or for a defect of ours.
 */
export type Answer = (turn: Turn) => AsyncIterable<Packet>
