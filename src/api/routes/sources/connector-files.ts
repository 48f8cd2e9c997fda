// Files of file connectors.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { listConnectorFiles, updateConnectorFiles } from '../../../store/sources/connector-files.ts'
import { restartPairs } from '../../../store/sources/index-attempts.ts'
import { requestPruneOfConnector } from '../../../store/sources/prune-candidates.ts'
import { nullish, wireBoolean, wirePathInteger } from '../../../wire/schemas.ts'
import { rejectTooLarge, requireFile, withUpload } from '../../http/uploads.ts'
import { route } from '../../route.ts'
import { isoOrNull } from '../../wire/iso.ts'

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

const uploadResponse = (
  files: readonly { file_id: string; file_name: string }[],
): z.infer<typeof FileUploadResponse> => ({
  file_paths: files.map((it) => it.file_id),
  file_names: files.map((it) => it.file_name),
  zip_metadata_file_id: null,
})

const ConnectorPath = z.object({ connector_id: wirePathInteger() })
const connectorDefaults = { access: ['connectors', 'curate'], tag: 'Connectors' } as const
const CONNECTOR_ERRORS = [
  'CONNECTOR_NOT_FOUND',
  'CONNECTOR_WITHOUT_PAIR',
  'NOT_A_FILE_CONNECTOR',
  'NOT_CURATED',
] as const
const FILE_FIELDS = ['files']

export const connectorFileRoutes = [
  route({
    ...connectorDefaults,
    name: 'uploadConnectorFiles',
    method: 'POST',
    path: '/manage/admin/connector/file/upload',
    summary: 'Upload connector files',
    description:
      'Pass the returned `file_paths` as `file_locations` in the configuration of the connector. Archives are stored unchanged and extracted by the connector.',
    query: z.object({
      unzip: nullish(wireBoolean()).describe(
        'Accepted for compatibility; ignored. Archives are extracted by the connector.',
      ),
    }),
    upload: { fields: FILE_FIELDS },
    audit: { action: 'connector_file.upload' },
    reply: FileUploadResponse,
    errors: ['STORE_FULL', 'DISK_LOW'],
    services: ['db', 'blobs', 'disk', 'now'],
    checkCapacity: ({ disk }) => disk.check(),
    handle: (call) =>
      withUpload(call, FILE_FIELDS, async (it) => {
        requireFile(it, 'files')
        rejectTooLarge(it)
        return uploadResponse((await it.save()).map(({ id, name }) => ({ file_id: id, file_name: name })))
      }),
  }),
  route({
    ...connectorDefaults,
    name: 'listConnectorFiles',
    method: 'GET',
    path: '/manage/admin/connector/{connector_id}/files',
    summary: 'List connector files',
    params: ConnectorPath,
    reply: ConnectorFilesResponse,
    errors: CONNECTOR_ERRORS,
    services: ['db', 'sourceFacts'],
    handle: async ({ params, subject, services }) => ({
      files: (await listConnectorFiles(services, subject, params.connector_id)).map((it) => ({
        file_id: it.file_id,
        file_name: it.file_name,
        file_size: it.size,
        upload_date: isoOrNull(it.created_at),
      })),
    }),
  }),
  route({
    ...connectorDefaults,
    name: 'updateConnectorFiles',
    method: 'POST',
    path: '/manage/admin/connector/{connector_id}/files/update',
    summary: 'Update connector files',
    description: 'Adds and removes files, and returns all files of the connector. At least one file must remain.',
    params: ConnectorPath,
    upload: {
      fields: FILE_FIELDS,
      isOptional: true,
      texts: { file_ids_to_remove: 'JSON array of the `file_id`s to remove. Default: none.' },
    },
    audit: { action: 'connector.change_files', object: 'connector_id' },
    reply: FileUploadResponse,
    errors: [...CONNECTOR_ERRORS, 'STORE_FULL', 'DISK_LOW'],
    services: ['db', 'blobs', 'disk', 'connectorRunner', 'now', 'sourceFacts'],
    checkCapacity: ({ disk }) => disk.check(),
    handle: ({ params, ...call }) =>
      withUpload(call, FILE_FIELDS, async (it) => {
        rejectTooLarge(it)
        const removed = parseFileIds(it.texts.get('file_ids_to_remove') ?? '[]')
        await listConnectorFiles(call.services, call.subject, params.connector_id)
        const added = (await it.save()).map(({ id, name }) => ({ file_id: id, file_name: name }))
        const change = { added, removed }
        const { db, connectorRunner, now } = call.services
        const files = await updateConnectorFiles(call.services, call.subject, params.connector_id, change, now())
        await restartPairs(db, { connector_id: params.connector_id }, now())
        // Pruning deletes the documents of removed files.
        if (removed.length > 0) await requestPruneOfConnector(db, params.connector_id)
        connectorRunner.wake()
        return uploadResponse(files)
      }),
  }),
]

function parseFileIds(text: string): string[] {
  const ids = z.array(z.string()).safeParse(parseJson(text))
  if (ids.success) return ids.data
  throw new AppError('INVALID_INPUT', { reason: '`file_ids_to_remove` must be a JSON array of file ids.' })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
