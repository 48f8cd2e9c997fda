// The files that a file connector reads.
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { nullish, pathInteger, wireBoolean } from '../../domain/wire.ts'
import { listConnectorFiles, updateConnectorFiles } from '../../store/connector-files.ts'
import { restartPairs } from '../../store/index-attempts.ts'
import { pruneConnector } from '../../store/prune-candidates.ts'
import { isoOrNull } from '../iso.ts'
import { route } from '../route.ts'
import { refuseTooLarge, requireFile, withUpload } from '../uploads.ts'

const FileUploadResponse = z
  .object({ file_paths: z.array(z.string()), file_names: z.array(z.string()), zip_metadata_file_id: z.null() })
  .meta({ id: 'FileUploadResponse' })

const ConnectorFilesResponse = z
  .object({
    files: z.array(
      z.object({
        file_id: z.string(),
        file_name: z.string(),
        file_size: z.int().nullable(),
        upload_date: z.iso.datetime().nullable(),
      }),
    ),
  })
  .meta({ id: 'ConnectorFilesResponse' })

const responseOf = (files: readonly { file_id: string; file_name: string }[]): z.infer<typeof FileUploadResponse> => ({
  file_paths: files.map((it) => it.file_id),
  file_names: files.map((it) => it.file_name),
  zip_metadata_file_id: null,
})

const ConnectorPath = z.object({ connector_id: pathInteger() })
const connectors = { access: 'connectors', tag: 'Connectors' } as const
const ERRORS = ['CONNECTOR_NOT_FOUND', 'CONNECTOR_WITHOUT_PAIR', 'NOT_A_FILE_CONNECTOR'] as const
const FIELDS = ['files']

export const connectorFileRoutes = [
  route({
    ...connectors,
    method: 'POST',
    path: '/manage/admin/connector/file/upload',
    summary: 'Upload files for a connector',
    description:
      'What `file_paths` answers belongs into the `file_locations` of its configuration. An archive is kept whole: the connector opens it when it reads.',
    query: z.object({ unzip: nullish(wireBoolean()).describe('Either way: an archive is opened when it is read.') }),
    upload: { fields: FIELDS },
    audit: { action: 'connector_file.upload' },
    reply: FileUploadResponse,
    errors: ['STORE_FULL', 'DISK_LOW'],
    admit: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, FIELDS, async (it) => {
        requireFile(it, 'files')
        refuseTooLarge(it)
        return responseOf((await it.keep()).map(({ id, name }) => ({ file_id: id, file_name: name })))
      }),
  }),
  route({
    ...connectors,
    method: 'GET',
    path: '/manage/admin/connector/{connector_id}/files',
    summary: 'List files of a connector',
    params: ConnectorPath,
    reply: ConnectorFilesResponse,
    errors: ERRORS,
    handle: async ({ params, services }) => ({
      files: (await listConnectorFiles(services.db, params.connector_id)).map((it) => ({
        file_id: it.file_id,
        file_name: it.file_name,
        file_size: it.size,
        upload_date: isoOrNull(it.created_at),
      })),
    }),
  }),
  route({
    ...connectors,
    method: 'POST',
    path: '/manage/admin/connector/{connector_id}/files/update',
    summary: 'Add files to a connector, or take some away',
    description: 'Answers all that it reads from now on: at least one must remain.',
    params: ConnectorPath,
    upload: {
      fields: FIELDS,
      isOptional: true,
      texts: { file_ids_to_remove: 'A JSON list of the `file_id`s to take away; none if it is absent.' },
    },
    audit: { action: 'connector.change_files', object: 'connector_id' },
    reply: FileUploadResponse,
    errors: [...ERRORS, 'STORE_FULL', 'DISK_LOW'],
    admit: ({ disk }) => disk.check(),
    handle: ({ params, ...call }) =>
      withUpload(call, FIELDS, async (it) => {
        refuseTooLarge(it)
        const removed = idsOf(it.texts.get('file_ids_to_remove') ?? '[]')
        await listConnectorFiles(call.services.db, params.connector_id)
        const added = (await it.keep()).map(({ id, name }) => ({ file_id: id, file_name: name }))
        const change = { added, removed }
        const { db, puller, now } = call.services
        const files = await updateConnectorFiles(db, params.connector_id, change, now())
        await restartPairs(db, { connector_id: params.connector_id }, now())
        // What was taken away is no document of the connector any more.
        if (removed.length > 0) await pruneConnector(db, params.connector_id)
        puller.wake()
        return responseOf(files)
      }),
  }),
]

function idsOf(text: string): string[] {
  const ids = z.array(z.string()).safeParse(jsonOf(text))
  if (ids.success) return ids.data
  throw new AppError('INVALID_INPUT', { reason: '`file_ids_to_remove` is a JSON list of the ids of files.' })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
