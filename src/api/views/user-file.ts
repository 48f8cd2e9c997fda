import { z } from 'zod'
import { chatFileType } from '../../domain/values/media-type.ts'
import type { StoredUserFile } from '../../store/files/user-files.ts'
import { iso } from '../wire/iso.ts'

export const UserFileSnapshot = z
  .object({
    id: z.string(),
    name: z.string(),
    project_id: z.int().nullable().describe('The project that the file was listed for or uploaded to.'),
    user_id: z.string(),
    file_id: z.string().describe('Use as `image_file_id` of image sections.'),
    created_at: z.iso.datetime(),
    last_accessed_at: z.null(),
    status: z.enum(['COMPLETED']),
    file_type: z
      .string()
      .describe('Media type detected from the content; the sent media type decides if the content is ambiguous.'),
    chat_file_type: z.enum(['image', 'document', 'plain_text', 'tabular']),
    token_count: z.null(),
    chunk_count: z.null(),
  })
  .meta({ id: 'UserFileSnapshot' })

export const userFileSnapshot = (
  file: StoredUserFile,
  project_id: number | null = null,
): z.infer<typeof UserFileSnapshot> => ({
  id: file.id,
  name: file.name,
  project_id,
  user_id: file.user_id,
  file_id: file.id,
  created_at: iso(file.created_at),
  last_accessed_at: null,
  status: 'COMPLETED',
  file_type: file.file_type,
  chat_file_type: chatFileType(file.file_type),
  token_count: null,
  chunk_count: null,
})
