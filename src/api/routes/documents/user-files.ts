import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { chatFileType } from '../../../domain/values/media-type.ts'
import { getReadableFile } from '../../../store/chats/persona-images.ts'
import { addProjectFiles, getProject, listProjectsWithFile } from '../../../store/chats/projects.ts'
import { deleteUserFile, getUserFile, listNewestUserFiles, listUserFiles } from '../../../store/files/user-files.ts'
import { WITHOUT_NUL, wireArray, wireString } from '../../../wire/schemas.ts'
import { DownloadResponse } from '../../http/download.ts'
import { requireFile, requireReceivedFile, withUpload } from '../../http/uploads.ts'
import { type RouteCall, route } from '../../route.ts'
import { UserFileSnapshot, userFileSnapshot } from '../../views/user-file.ts'

const UserFileUploadResponse = z
  .object({
    id: z.string().nullable().describe('The `file_id` of the first stored file.'),
    file_id: z.string().nullable(),
    user_files: z.array(UserFileSnapshot),
    rejected_files: z.array(z.object({ file_name: z.string(), reason: z.string() })),
  })
  .meta({ id: 'UserFileUploadResponse' })

const fileDefaults = { access: ['files', 'ingest'], tag: 'Files' } as const
const MAX_RECENT = 500
const FILE_FIELDS = ['file', 'files']

const uploadRoute = (name: string, path: string) =>
  route({
    ...fileDefaults,
    name,
    method: 'POST',
    path,
    summary: 'Upload file',
    description:
      'One or more files as `file` or `files`. The returned `id` can be used as `image_file_id` of an image section. With the field `project_id`, the files are added to an own project.',
    upload: { fields: FILE_FIELDS },
    reply: UserFileUploadResponse,
    errors: ['STORE_FULL', 'DISK_LOW', 'PROJECT_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db', 'blobs', 'disk', 'now', 'recognition'],
    checkCapacity: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, FILE_FIELDS, async (it) => {
        requireFile(it, 'files')
        const { db } = call.services
        const project = readProjectId(it.texts.get('project_id'))
        if (project !== null) await getProject(db, call.subject, project)
        const kept = await it.save()
        await call.services.recognition.queueIfOn(kept.filter(mayShowText))
        const ids = kept.map((file) => file.id)
        if (project !== null) await addProjectFiles(db, call.subject, project, ids)
        const id = ids[0] ?? null
        const user_files = kept.map((file) => userFileSnapshot(file, project))
        return { id, file_id: id, user_files, rejected_files: it.rejected }
      }),
  })

/** Files in which text may have to be recognised. A PDF with text costs a look at its pages. */
const mayShowText = ({ file_type }: { file_type: string }) =>
  file_type === 'application/pdf' || chatFileType(file_type) === 'image'

/** Null without the field. A text that is no id names no project. */
function readProjectId(text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  const id = Number(text)
  if (!Number.isSafeInteger(id)) throw new AppError('PROJECT_NOT_FOUND')
  return id
}

const FilePath = z.object({ file_id: wireString({ max: 100, pattern: WITHOUT_NUL }) })
type FileCall = RouteCall<z.infer<typeof FilePath>, unknown, unknown, 'db'>
const getOwnFile = ({ params, subject, services }: FileCall) => getUserFile(services.db, subject, params.file_id)

const IMAGE_FORMATS = 'an image (PNG, JPEG, GIF, WebP or TIFF)'

export const userFileRoutes = [
  uploadRoute('uploadUserFiles', '/user/file/upload'),
  uploadRoute('uploadUserFilesAlias', '/user/projects/file/upload'),
  route({
    ...fileDefaults,
    name: 'getUserFile',
    method: 'GET',
    path: '/user/projects/file/{file_id}',
    summary: 'Get uploaded file',
    description: 'Returns the metadata of an own file. `/chat/file/{file_id}` returns its content.',
    params: FilePath,
    reply: UserFileSnapshot,
    errors: ['FILE_NOT_FOUND'],
    services: ['db'],
    handle: async (call) => userFileSnapshot(await getOwnFile(call)),
  }),
  route({
    ...fileDefaults,
    name: 'deleteUserFile',
    method: 'DELETE',
    path: '/user/projects/file/{file_id}',
    summary: 'Delete uploaded file',
    description:
      'Deletes the file immediately. A file of a project is kept: `has_associations` is true, and `project_names` names its projects.',
    params: FilePath,
    reply: z
      .object({
        has_associations: z.boolean(),
        project_names: z.array(z.string()),
        assistant_names: z.array(z.string()),
      })
      .meta({ id: 'UserFileDeleteResult' }),
    errors: ['FILE_NOT_FOUND', 'STORE_FULL'],
    services: ['db', 'blobs'],
    handle: async ({ params, subject, services }) => {
      const project_names = await listProjectsWithFile(services.db, subject, params.file_id)
      const has_associations = project_names.length > 0
      if (!has_associations) await deleteUserFile(services, subject, params.file_id)
      return { has_associations, project_names, assistant_names: [] }
    },
  }),
  route({
    ...fileDefaults,
    name: 'listUserFiles',
    method: 'POST',
    path: '/user/projects/file/statuses',
    summary: 'List uploaded files',
    description: 'Returns the own files among the given ids, in the order of the ids.',
    body: z
      .object({ file_ids: wireArray(wireString({ max: 100, pattern: WITHOUT_NUL }), { max: 1_000 }) })
      .meta({ id: 'UserFileIds' }),
    reply: z.array(UserFileSnapshot),
    services: ['db'],
    handle: async ({ body, subject, services }) =>
      (await listUserFiles(services.db, subject, body.file_ids)).map((it) => userFileSnapshot(it)),
  }),
  route({
    ...fileDefaults,
    name: 'listRecentUserFiles',
    method: 'GET',
    path: '/user/files/recent',
    summary: 'List newest uploaded files',
    description: `The newest ${MAX_RECENT} own files.`,
    reply: z.array(UserFileSnapshot),
    services: ['db'],
    handle: async ({ subject, services }) =>
      (await listNewestUserFiles(services.db, subject, MAX_RECENT)).map((it) => userFileSnapshot(it)),
  }),
  route({
    ...fileDefaults,
    name: 'downloadUserFile',
    method: 'GET',
    path: '/chat/file/{file_id}',
    summary: 'Download uploaded file',
    description:
      'Returns an own file, or the image of a persona that the key may use, as an attachment. Supports `If-None-Match`: the content of an id never changes.',
    params: FilePath,
    reply: z.instanceof(DownloadResponse),
    isDownload: true,
    errors: ['FILE_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) =>
      new DownloadResponse(await getReadableFile(services.db, subject, params.file_id)),
  }),
  route({
    access: 'files',
    tag: 'Files',
    name: 'uploadPersonaImage',
    method: 'POST',
    path: '/admin/persona/upload-image',
    summary: 'Upload persona image',
    description: `\`file\` must be ${IMAGE_FORMATS}, detected from its content.`,
    upload: { fields: ['file'] },
    reply: z.object({ file_id: z.string() }).meta({ id: 'FileId' }),
    errors: ['STORE_FULL', 'DISK_LOW'],
    services: ['db', 'blobs', 'disk', 'now'],
    checkCapacity: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, ['file'], async (it) => {
        const { id, file_type: type } = requireReceivedFile(it, 'file').row
        if (chatFileType(type) !== 'image')
          throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type, expected: IMAGE_FORMATS })
        await it.save()
        return { file_id: id }
      }),
  }),
]
