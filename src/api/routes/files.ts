import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { chatFileType } from '../../domain/media-type.ts'
import { WITHOUT_NUL, wireArray, wireString } from '../../domain/wire.ts'
import { deleteUserFile, getUserFile, listUserFiles, type StoredUserFile } from '../../store/user-files.ts'
import { Download } from '../download.ts'
import { iso } from '../iso.ts'
import { type Call, route } from '../route.ts'
import { refuseTooLarge, requireFile, withUpload } from '../uploads.ts'

const UserFileSnapshot = z
  .object({
    id: z.string(),
    name: z.string(),
    project_id: z.null(),
    user_id: z.string(),
    file_id: z.string().describe('What an image section names as `image_file_id`.'),
    created_at: z.iso.datetime(),
    last_accessed_at: z.null(),
    status: z.enum(['COMPLETED']),
    file_type: z.string().describe('By its content; what was sent with it counts where that leaves it open.'),
    chat_file_type: z.enum(['image', 'document', 'plain_text', 'tabular']),
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
  last_accessed_at: null,
  status: 'COMPLETED',
  file_type: file.file_type,
  chat_file_type: chatFileType(file.file_type),
  token_count: null,
  chunk_count: null,
})

const files = { access: ['files', 'ingest'], tag: 'Files' } as const
const FIELDS = ['file', 'files']

const upload = (path: string) =>
  route({
    ...files,
    method: 'POST',
    path,
    summary: 'Upload file',
    description:
      'One or more files as `file` or `files`. The `id` of the answer is the `image_file_id` of an image section.',
    upload: { fields: FIELDS },
    reply: UploadResponse,
    errors: ['STORE_FULL', 'DISK_LOW'],
    admit: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, FIELDS, async (it) => {
        requireFile(it, 'files')
        const kept = await it.keep()
        const id = kept[0]?.id ?? null
        return { id, file_id: id, user_files: kept.map(snapshot), rejected_files: it.rejected }
      }),
  })

const FilePath = z.object({ file_id: wireString({ max: 100, pattern: WITHOUT_NUL }) })
type FileCall = Call<z.infer<typeof FilePath>, unknown, unknown>
const own = ({ params, subject, services }: FileCall) => getUserFile(services.db, subject, params.file_id)

const IMAGES = 'an image (PNG, JPEG, GIF, WebP or TIFF)'

export const fileRoutes = [
  upload('/user/file/upload'),
  upload('/user/projects/file/upload'),
  route({
    ...files,
    method: 'GET',
    path: '/user/projects/file/{file_id}',
    summary: 'Get uploaded file',
    description: 'One of the own; what is in it stands at `/chat/file/{file_id}`.',
    params: FilePath,
    reply: UserFileSnapshot,
    errors: ['FILE_NOT_FOUND'],
    handle: async (call) => snapshot(await own(call)),
  }),
  route({
    ...files,
    method: 'DELETE',
    path: '/user/projects/file/{file_id}',
    summary: 'Delete uploaded file',
    description: 'It is gone with the answer.',
    params: FilePath,
    reply: z
      .object({
        has_associations: z.boolean(),
        project_names: z.array(z.string()),
        assistant_names: z.array(z.string()),
      })
      .meta({ id: 'UserFileDeleteResult' }),
    errors: ['FILE_NOT_FOUND', 'STORE_FULL'],
    handle: async ({ params, subject, services }) => {
      await deleteUserFile(services, subject, params.file_id)
      return { has_associations: false, project_names: [], assistant_names: [] }
    },
  }),
  route({
    ...files,
    method: 'POST',
    path: '/user/projects/file/statuses',
    summary: 'Get uploaded files',
    description: 'Of the ids those that are the own, in their order.',
    body: z
      .object({ file_ids: wireArray(wireString({ max: 100, pattern: WITHOUT_NUL }), { max: 1_000 }) })
      .meta({ id: 'UserFileIds' }),
    reply: z.array(UserFileSnapshot),
    handle: async ({ body, subject, services }) =>
      (await listUserFiles(services.db, subject, body.file_ids)).map(snapshot),
  }),
  route({
    ...files,
    method: 'GET',
    path: '/chat/file/{file_id}',
    summary: 'Download uploaded file',
    description: 'One of the own, always as an attachment. Takes `If-None-Match`: the content of an id never changes.',
    params: FilePath,
    reply: z.instanceof(Download),
    isDownload: true,
    errors: ['FILE_NOT_FOUND'],
    handle: async (call) => new Download(await own(call)),
  }),
  route({
    access: 'files',
    tag: 'Files',
    method: 'POST',
    path: '/admin/persona/upload-image',
    summary: 'Upload image of a persona',
    description: `\`file\` is ${IMAGES}, whatever it claims to be.`,
    upload: { fields: ['file'] },
    reply: z.object({ file_id: z.string() }).meta({ id: 'FileId' }),
    errors: ['STORE_FULL', 'DISK_LOW'],
    admit: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, ['file'], async (it) => {
        requireFile(it, 'file')
        refuseTooLarge(it)
        const { id, file_type: type } = it.files[0]!.row
        if (chatFileType(type) !== 'image') throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: IMAGES })
        await it.keep()
        return { file_id: id }
      }),
  }),
]
