import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { getSettings } from '../../store/settings.ts'
import { insertUserFiles, type StoredUserFile } from '../../store/user-files.ts'
import { RequestInvalid } from '../error-answer.ts'
import { iso } from '../iso.ts'
import { route, type UploadedFile } from '../route.ts'
import type { Services } from '../services.ts'

const UserFileSnapshot = z
  .object({
    id: z.string(),
    name: z.string(),
    project_id: z.null(),
    user_id: z.string(),
    file_id: z.string().describe('What an image section names as `image_file_id`.'),
    created_at: z.iso.datetime(),
    status: z.enum(['COMPLETED']),
    file_type: z.string(),
    chat_file_type: z.enum(['image', 'document']),
    token_count: z.null(),
    chunk_count: z.null(),
  })
  .meta({ id: 'UserFileSnapshot' })

const UploadResponse = z
  .object({
    id: z.string().nullable().describe('The `file_id` of the first file that was kept.'),
    file_id: z.string().nullable(),
    user_files: z.array(UserFileSnapshot),
    rejected_files: z.array(z.object({ file_name: z.string(), reason: z.string() })),
  })
  .meta({ id: 'UserFileUploadResponse' })

const snapshot = (file: StoredUserFile): z.infer<typeof UserFileSnapshot> => ({
  id: file.id,
  name: file.name,
  project_id: null,
  user_id: file.user_id,
  file_id: file.id,
  created_at: iso(file.created_at),
  status: 'COMPLETED',
  file_type: file.file_type,
  chat_file_type: file.file_type.startsWith('image/') ? 'image' : 'document',
  token_count: null,
  chunk_count: null,
})

const MAX_NAME = 1_000
const FIELDS = ['file', 'files']

async function keep(services: Services, userId: string, file: UploadedFile): Promise<StoredUserFile> {
  const { name: blob, size } = await services.blobs.put(file.bytes)
  return {
    id: randomUUID(),
    name: file.name.toWellFormed().slice(0, MAX_NAME),
    file_type: file.type,
    size,
    blob,
    user_id: userId,
    created_at: services.now(),
  }
}

async function skip(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

export const fileRoutes = [
  route({
    method: 'POST',
    path: '/user/file/upload',
    access: ['files', 'ingest'],
    tag: 'Files',
    summary: 'Upload file',
    description:
      'One or more files as `file` or `files`. The `id` of the answer is the `image_file_id` of an image section.',
    upload: { fields: FIELDS },
    reply: UploadResponse,
    errors: ['STORE_FULL', 'DISK_LOW'],
    admit: ({ disk }) => disk.check(),
    handle: async ({ files, subject, services }) => {
      const kept: StoredUserFile[] = []
      const rejected_files: { file_name: string; reason: string }[] = []
      const { user_file_max_upload_size_mb } = await getSettings(services.db)
      for await (const file of files({ maxBytes: user_file_max_upload_size_mb << 20 })) {
        try {
          if (FIELDS.includes(file.field)) kept.push(await keep(services, subject.user_id, file))
          else await skip(file.bytes)
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE')) throw error
          rejected_files.push({ file_name: file.name, reason: 'The file is larger than the limit for uploads.' })
        }
      }
      if (kept.length + rejected_files.length === 0) {
        throw new RequestInvalid([{ loc: ['body', 'files'], msg: 'Field required', type: 'missing' }])
      }
      await insertUserFiles(services.db, kept)
      const id = kept[0]?.id ?? null
      return { id, file_id: id, user_files: kept.map(snapshot), rejected_files }
    },
  }),
]
