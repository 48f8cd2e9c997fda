// What somebody asks, and the turn that it becomes: persona, history, files, tools and model looked up.
import type { FileDescriptor, ModelOverride } from '../domain/chat.ts'
import { AppError } from '../domain/errors.ts'
import type { Filters } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import type { SaidMessage } from '../store/chat-messages.ts'
import type { StoredChat } from '../store/chats.ts'
import type { Queries } from '../store/database.ts'
import { listPairsOfSetIds } from '../store/document-sets.ts'
import type { StoredPersona } from '../store/personas.ts'
import { listUserFiles } from '../store/user-files.ts'
import type { Tool } from '../tools/tool.ts'
import type { AttachedFile, Turn } from './turn.ts'

export interface Question {
  message: string
  files: readonly FileDescriptor[]
  filters: Filters
  /** Null: all that the persona has. */
  allowed_tool_ids: readonly number[] | null
  forced_tool_id: number | null
  override: ModelOverride | null
  temperature: number | null
  include_citations: boolean
  additional_context: string | null
  authorization: string | null
  remoteHeaders: Readonly<Record<string, string>>
}

export interface TurnNeeds {
  db: Queries
  /** Which model answers; null with a sentence that says why none does. */
  pick(choice: {
    subject: Subject
    persona: StoredPersona
    override: ModelOverride | null
  }): Promise<{ model: LanguageModel | null; reason: string | null }>
  toolsFor(subject: Subject, ids: readonly number[]): Promise<readonly Tool[]>
  readFile(subject: Subject, fileId: string, signal: AbortSignal): Promise<{ name: string; text: string }>
}

/** Those of the persona that the question allows. One that is forced and not among them is TOOL_NOT_FOUND. */
export function toolIdsOf(persona: StoredPersona, { allowed_tool_ids, forced_tool_id }: Question): number[] {
  const own = persona.tools.filter((it) => it.enabled).map((it) => it.id)
  const ids = allowed_tool_ids === null ? own : own.filter((id) => allowed_tool_ids.includes(id))
  if (forced_tool_id !== null && !ids.includes(forced_tool_id)) throw new AppError('TOOL_NOT_FOUND')
  return ids
}

/** All of them are the subject's own, or FILE_NOT_FOUND. Each comes with the name it has in the record. */
export async function checkFiles(
  db: Queries,
  subject: Subject,
  files: readonly FileDescriptor[],
): Promise<FileDescriptor[]> {
  if (files.length === 0) return []
  const stored = await listUserFiles(
    db,
    subject,
    files.map((it) => it.id),
  )
  return files.map((file) => {
    const own = stored.find((it) => it.id === file.id)
    if (own === undefined) throw new AppError('FILE_NOT_FOUND')
    return { id: own.id, type: file.type, name: own.name }
  })
}

export interface Asked {
  subject: Subject
  question: Question
  chat: StoredChat
  persona: StoredPersona
  /** Of the branch, without the question itself. */
  history: readonly SaidMessage[]
  confirm: Turn['confirm']
  signal: AbortSignal
}

export async function turnOf(needs: TurnNeeds, asked: Asked): Promise<Turn> {
  const { subject, question, chat, persona, history, confirm, signal } = asked
  const override = question.override ?? overrideOf(chat)
  const [{ model, reason }, tools, filters, files] = await Promise.all([
    needs.pick({ subject, persona, override }),
    needs.toolsFor(subject, toolIdsOf(persona, question)),
    narrowed(needs.db, question.filters, persona),
    readFiles(needs, asked),
  ])
  return {
    subject,
    message: question.message,
    history: history.filter((it) => it.message !== '').map((it) => ({ role: it.message_type, content: it.message })),
    persona,
    filters,
    files,
    tools,
    forced_tool_id: question.forced_tool_id,
    model,
    model_reason: reason,
    temperature: question.temperature ?? chat.overrides.temperature,
    include_citations: question.include_citations,
    additional_context: question.additional_context,
    authorization: question.authorization,
    remoteHeaders: question.remoteHeaders,
    confirm,
    signal,
  }
}

/** A session names a model as clients do: `provider__model`, or the model alone. */
function overrideOf({ overrides: { model } }: StoredChat): ModelOverride | null {
  if (model === null) return null
  const [provider, ...rest] = model.split('__')
  const name = rest.at(-1)
  return {
    model_configuration_id: null,
    model_provider: name === undefined ? null : provider!,
    model_version: name ?? model,
  }
}

/** The persona's sets and its first day hold beside what the question asks for. */
async function narrowed(db: Queries, filters: Filters, persona: StoredPersona): Promise<Filters> {
  const setIds = persona.document_sets.map((it) => it.id)
  const pairs = setIds.length === 0 ? null : await listPairsOfSetIds(db, setIds)
  const starts = [filters.updated_from, persona.search_start_date].filter((it) => typeof it === 'number')
  return {
    ...filters,
    ...(pairs !== null && { cc_pair_ids: filters.cc_pair_ids?.filter((id) => pairs.includes(id)) ?? pairs }),
    ...(starts.length > 0 && { updated_from: Math.max(...starts) }),
  }
}

/** Also those that came with earlier questions of the branch: the person speaks of them still. */
async function readFiles(needs: TurnNeeds, { subject, question, history, signal }: Asked): Promise<AttachedFile[]> {
  const all = [...history.flatMap((it) => it.files), ...question.files]
  const files = [...new Map(all.map((it) => [it.id, it])).values()]
  return Promise.all(files.map((file) => readOne(needs, subject, file, signal)))
}

/** One that is gone or cannot be read is said to be so, and does not keep the question from its answer. */
async function readOne(
  { readFile }: TurnNeeds,
  subject: Subject,
  { id, name }: FileDescriptor,
  signal: AbortSignal,
): Promise<AttachedFile> {
  try {
    return { id, ...(await readFile(subject, id, signal)) }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof AppError ? error.message : 'it is damaged, or of a kind that is not read.'
    return { id, name: name ?? id, text: `(This file could not be read: ${reason})` }
  }
}
