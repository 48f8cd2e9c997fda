// Builds the turn from a stored question: its scope, tools, model and files.
import type { FileDescriptor, ModelOverride } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import { intersectFilters } from '../../domain/search/intersect-filters.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Subject } from '../../domain/subject.ts'
import { chatFileType } from '../../domain/values/media-type.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import type { StoredChat } from '../../store/chats/chats.ts'
import { scopeOfPersona } from '../../store/chats/persona-scope.ts'
import type { StoredPersona } from '../../store/chats/personas.ts'
import { listProjectFiles, listProjects } from '../../store/chats/projects.ts'
import type { Queryable } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { getSettings } from '../../store/settings/settings.ts'
import type { Tool } from '../../tools/tool.ts'
import type { AttachedFile, ChatTurn } from '../answer/chat-turn.ts'
import { choosePictures, readPictures } from '../pictures/read-pictures.ts'
import { allowedToolIds } from './question.ts'
import type { StartedTurn } from './start-turn.ts'

export interface TurnDeps {
  db: Queryable
  /** Chooses the model; if there is none, `reason` says why. */
  chooseModel(choice: {
    subject: Subject
    persona: StoredPersona
    override: ModelOverride | null
    /** The model of the chat: `provider__model`, or only the model. */
    chatModel?: string | null
    /** `vision`: only the default vision model. */
    purpose?: 'vision'
  }): Promise<{ model: LanguageModel | null; reason: string | null }>
  toolsFor(subject: Subject, ids: readonly number[]): Promise<readonly Tool[]>
  blobs: Pick<Blobs, 'get'>
  readFile(subject: Subject, fileId: string, signal: AbortSignal): Promise<{ name: string; text: string }>
}

type Caller = Pick<ChatTurn, 'subject' | 'confirm' | 'signal'>

export async function prepareTurn(
  deps: TurnDeps,
  { chat, persona, question, history }: StartedTurn,
  { subject, confirm, signal }: Caller,
): Promise<ChatTurn> {
  const project = await readProject(deps.db, subject, chat)
  const attached = [...project.files, ...history.flatMap((it) => it.files), ...question.files]
  const choice = { subject, persona, override: question.modelOverride, chatModel: chat.overrides.model }
  const [{ model, reason }, tools, scope, files, settings] = await Promise.all([
    deps.chooseModel(choice),
    deps.toolsFor(subject, allowedToolIds(persona, question)),
    scopeOfPersona(deps.db, persona),
    readAttachments(deps, subject, attached, signal),
    getSettings(deps.db),
  ])
  const asked = await choosePictures(deps.db, subject, { question: question.files, history })
  const hasPictures = asked.chosen.length > 0 || asked.omitted > 0
  const picture_model = hasPictures ? await choosePictureModel(deps, choice, model) : null
  return {
    subject,
    message: question.message,
    history: history.filter((it) => it.message !== '').map((it) => ({ role: it.message_type, content: it.message })),
    persona,
    company: companyPrompt(settings),
    project: project.instructions,
    filters: intersectFilters(question.filters, scope),
    files,
    pictures: picture_model === null ? [] : await readPictures(deps.blobs, asked.chosen),
    omitted_pictures: asked.omitted,
    picture_model,
    tools,
    forced_tool_id: question.forced_tool_id,
    model,
    model_reason: reason,
    temperature: question.temperature ?? chat.overrides.temperature,
    reasoning_effort: chat.overrides.reasoning_effort,
    include_citations: question.include_citations,
    additional_context: question.additional_context,
    remoteHeaders: question.remoteHeaders,
    confirm,
    signal,
  }
}

/** The model of the chat, if it reads pictures itself. */
async function choosePictureModel(
  { chooseModel }: TurnDeps,
  choice: Parameters<TurnDeps['chooseModel']>[0],
  model: LanguageModel | null,
): Promise<LanguageModel | null> {
  if (model?.supportsImages) return model
  return (await chooseModel({ ...choice, purpose: 'vision' })).model
}

const companyPrompt = ({ company_name: name, company_description: text }: Settings): string =>
  [name && `The company is called ${name}.`, text && `About the company: ${text}`].filter(Boolean).join(' ')

/** The instructions and files of the chat's project. It may have been deleted meanwhile. */
async function readProject(
  db: Queryable,
  subject: Subject,
  { project_id }: StoredChat,
): Promise<{ instructions: string; files: FileDescriptor[] }> {
  const project = (await listProjects(db, subject)).find((it) => it.id === project_id)
  if (project === undefined) return { instructions: '', files: [] }
  const files = await listProjectFiles(db, subject, project.id)
  return {
    instructions: project.instructions,
    files: files.map(({ id, name, file_type }) => ({ id, name, type: chatFileType(file_type) })),
  }
}

/** Includes files of earlier questions on the branch, because the user may still refer to them. */
async function readAttachments(
  deps: TurnDeps,
  subject: Subject,
  files: readonly FileDescriptor[],
  signal: AbortSignal,
): Promise<AttachedFile[]> {
  const unique = [...new Map(files.map((it) => [it.id, it])).values()]
  return Promise.all(unique.map((file) => readAttachment(deps, subject, file, signal)))
}

const NO_TEXT = '(No text could be read from this file.)'

/** A file that is missing, unreadable or without text is reported in its text, so that the question can still be answered. */
async function readAttachment(
  { readFile }: TurnDeps,
  subject: Subject,
  { id, name }: FileDescriptor,
  signal: AbortSignal,
): Promise<AttachedFile> {
  try {
    const file = await readFile(subject, id, signal)
    return { id, ...file, ...(file.text.trim() === '' && { text: NO_TEXT, isUnread: true }) }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof AppError ? error.message : 'it is damaged, or of an unsupported type.'
    return { id, name: name ?? id, text: `(This file could not be read: ${reason})`, isUnread: true }
  }
}
