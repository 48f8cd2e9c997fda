// A question as the client sent it, and what of it must exist before it is stored.
import type { FileDescriptor, ModelOverride } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import type { Filters } from '../../domain/search/query.ts'
import type { Subject } from '../../domain/subject.ts'
import type { StoredPersona } from '../../store/chats/personas.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listUserFiles } from '../../store/files/user-files.ts'

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
