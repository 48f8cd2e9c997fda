// A question, and the turn built from it: persona, history, files, tools and model.
import type { FileDescriptor, ModelOverride } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import { applyScope, type Filters } from '../../domain/search/query.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Subject } from '../../domain/subject.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import type { StoredChat } from '../../store/chats/chats.ts'
import type { MessageWithoutPackets } from '../../store/chats/messages.ts'
import { scopeOfPersona } from '../../store/chats/persona-scope.ts'
import type { StoredPersona } from '../../store/chats/personas.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listUserFiles } from '../../store/files/user-files.ts'
import { getSettings } from '../../store/settings/settings.ts'
import type { Tool } from '../../tools/tool.ts'
import type { AttachedFile, ChatTurn } from '../answer/chat-turn.ts'

export interface ChatQuestion {
  message: string
  files: readonly FileDescriptor[]
  filters: Filters
  /** Null means all tools of the persona. */
  allowed_tool_ids: readonly number[] | null
  forced_tool_id: number | null
  modelOverride: ModelOverride | null
  temperature: number | null
  include_citations: boolean
  additional_context: string | null
  remoteHeaders: Readonly<Record<string, string>>
}

export interface TurnDeps {
  db: Queryable
  /** Chooses the model; if there is none, `reason` says why. */
  chooseModel(choice: {
    subject: Subject
    persona: StoredPersona
    override: ModelOverride | null
  }): Promise<{ model: LanguageModel | null; reason: string | null }>
  toolsFor(subject: Subject, ids: readonly number[]): Promise<readonly Tool[]>
  readFile(subject: Subject, fileId: string, signal: AbortSignal): Promise<{ name: string; text: string }>
}

/** The tools of the persona that the question allows. Throws TOOL_NOT_FOUND if the forced tool is not among them. */
export function allowedToolIds(persona: StoredPersona, { allowed_tool_ids, forced_tool_id }: ChatQuestion): number[] {
  const own = persona.tools.filter((it) => it.enabled).map((it) => it.id)
  const ids = allowed_tool_ids === null ? own : own.filter((id) => allowed_tool_ids.includes(id))
  if (forced_tool_id !== null && !ids.includes(forced_tool_id)) throw new AppError('TOOL_NOT_FOUND')
  return ids
}

/** Returns the files with their stored names. Throws FILE_NOT_FOUND unless all belong to the subject. */
export async function resolveFiles(
  db: Queryable,
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

export interface TurnRequest {
  subject: Subject
  question: ChatQuestion
  chat: StoredChat
  persona: StoredPersona
  /** Previous messages on this branch. */
  history: readonly MessageWithoutPackets[]
  confirm: ChatTurn['confirm']
  signal: AbortSignal
}

export async function prepareTurn(deps: TurnDeps, request: TurnRequest): Promise<ChatTurn> {
  const { subject, question, chat, persona, history, confirm, signal } = request
  const override = question.modelOverride ?? sessionModelOverride(chat)
  const [{ model, reason }, tools, scope, files, settings] = await Promise.all([
    deps.chooseModel({ subject, persona, override }),
    deps.toolsFor(subject, allowedToolIds(persona, question)),
    scopeOfPersona(deps.db, persona),
    readAttachments(deps, request),
    getSettings(deps.db),
  ])
  return {
    subject,
    message: question.message,
    history: history.filter((it) => it.message !== '').map((it) => ({ role: it.message_type, content: it.message })),
    persona,
    company: companyPrompt(settings),
    filters: applyScope(question.filters, scope),
    files,
    tools,
    forced_tool_id: question.forced_tool_id,
    model,
    model_reason: reason,
    temperature: question.temperature ?? chat.overrides.temperature,
    include_citations: question.include_citations,
    additional_context: question.additional_context,
    remoteHeaders: question.remoteHeaders,
    confirm,
    signal,
  }
}

/** A session stores the model as clients name it: `provider__model`, or only the model. */
function sessionModelOverride({ overrides: { model } }: StoredChat): ModelOverride | null {
  if (model === null) return null
  const [provider, ...rest] = model.split('__')
  const name = rest.at(-1)
  return {
    model_configuration_id: null,
    model_provider: name === undefined ? null : provider!,
    model_version: name ?? model,
  }
}

const companyPrompt = ({ company_name: name, company_description: text }: Settings): string =>
  [name && `The company is called ${name}.`, text && `About the company: ${text}`].filter(Boolean).join(' ')

/** Includes files of earlier questions on the branch, because the user may still refer to them. */
async function readAttachments(
  deps: TurnDeps,
  { subject, question, history, signal }: TurnRequest,
): Promise<AttachedFile[]> {
  const all = [...history.flatMap((it) => it.files), ...question.files]
  const files = [...new Map(all.map((it) => [it.id, it])).values()]
  return Promise.all(files.map((file) => readAttachment(deps, subject, file, signal)))
}

/** A file that is missing or unreadable is reported in its text, so that the question can still be answered. */
async function readAttachment(
  { readFile }: TurnDeps,
  subject: Subject,
  { id, name }: FileDescriptor,
  signal: AbortSignal,
): Promise<AttachedFile> {
  try {
    return { id, ...(await readFile(subject, id, signal)) }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof AppError ? error.message : 'it is damaged, or of an unsupported type.'
    return { id, name: name ?? id, text: `(This file could not be read: ${reason})` }
  }
}
