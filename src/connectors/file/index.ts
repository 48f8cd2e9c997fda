// File connector: uploaded files, archives with optional metadata, and a folder of the server.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { FILE_DOCUMENT_PREFIX } from '../../domain/originals/place-link.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import { nullish, wireArray, wireObject, wireString } from '../../wire/schemas.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  type SourceDocument,
  SourceError,
  type SourceFile,
} from '../connector.ts'
import { type FileSections, readFileText } from '../files/read-file-text.ts'
import { HIDDEN, SECRET } from '../form-hints.ts'
import { type FileMetadata, METADATA_FILE, metadataByName, parseFileMetadata, splitMetadataLine } from './metadata.ts'

const names = nullish(wireArray(wireString({ max: 1_000 }), { max: 100_000 }))

const FileConfig = z.object({
  file_locations: names.describe(
    'The `file_paths` that POST /manage/admin/connector/file/upload returned. Empty: the connector waits for uploads.',
  ),
  file_names: names.describe('The names of the files, in the same order.'),
  zip_metadata_file_id: nullish(wireString({ max: 200 }))
    .describe(`An uploaded \`${METADATA_FILE}\` with the metadata of each file, by file name.`)
    .meta(HIDDEN),
  zip_metadata: nullish(wireObject()).describe('The same metadata, inline.').meta(HIDDEN),
  folder: nullish(wireString({ min: 1, max: 4_000 })).describe(
    'A folder on the server, read recursively. It is not watched: changes are indexed by the next run (every `refresh_freq` seconds), deletions by the next pruning. The operator must list the folder in CONNECTOR_FOLDERS.',
  ),
})
type FileConfig = z.infer<typeof FileConfig>

const FileCredential = z.object({
  pdf_password: nullish(wireString({ max: 1_000 }))
    .describe('Opens encrypted PDFs.')
    .meta(SECRET),
})
type FileCredential = z.infer<typeof FileCredential>

type FileContext = ConnectorContext<FileConfig, FileCredential>

export default defineConnector<FileConfig, FileCredential>({
  sources: ['file'],
  label: 'Files',
  description: 'Reads uploaded files, archives, and a folder on the server.',
  config: FileConfig,
  credential: FileCredential,
  // The password is used locally and never sent.
  origins: () => [],
  uploads: ({ file_locations, zip_metadata_file_id }) => [
    ...(file_locations ?? []),
    ...(zip_metadata_file_id === null ? [] : [zip_metadata_file_id]),
  ],
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: false,
  async check({ config, files }) {
    if (config.folder !== null) await files.folder(config.folder)
  },
  load,
  async *listIds(context) {
    for await (const item of load(context)) {
      if (item.type === 'document') yield item.document.id
      if (item.type === 'unchanged' || item.type === 'skipped') yield item.id
      // The file exists, but its id depends on content that could not be read.
      if (item.type === 'failure' && item.stage === 'fetch') throw new SourceError('unavailable', item.message)
    }
  },
})

const FileCheckpoint = z.object({ after: z.string() })

interface ListedFile {
  id: string
  file: SourceFile
  name: string
}

async function* load(context: FileContext): AsyncGenerator<ConnectorItem, void> {
  const { uploads, missing } = await listUploads(context)
  for (const file_id of missing) {
    yield {
      type: 'failure',
      document_id: null,
      link: null,
      entity_id: file_id,
      stage: 'list',
      message: 'This upload was deleted.',
    }
  }
  const all = [...uploads, ...(await listFolder(context))]
  const metadataOf = await readMetadataFiles(context, all.filter(isMetadataFile))
  const listed = all.filter((it) => !isMetadataFile(it))
  const resumed = context.checkpoint === null ? null : FileCheckpoint.parse(context.checkpoint)
  const at = resumed === null ? 0 : listed.findIndex((it) => it.id === resumed.after) + 1
  for (const it of listed.slice(at)) {
    context.signal.throwIfAborted()
    yield* readFile(context, it, metadataOf)
    yield { type: 'checkpoint', checkpoint: { after: it.id } satisfies z.infer<typeof FileCheckpoint> }
  }
}

async function listUploads({ config, files }: FileContext): Promise<{ uploads: ListedFile[]; missing: string[] }> {
  const ids = config.file_locations ?? []
  const configuredNames = new Map(ids.map((id, at) => [id, config.file_names?.[at]]))
  const found = await files.uploads([...new Set(ids)])
  const uploads = found.map((file) => ({
    id: `${FILE_DOCUMENT_PREFIX}${file.id}`,
    file,
    name: configuredNames.get(file.id) ?? file.name,
  }))
  return { uploads, missing: ids.filter((id) => !found.some((it) => it.id === id)) }
}

/** Document ids contain a hash instead of the folder's path, which readers need not know. */
async function listFolder({ config, files }: FileContext): Promise<ListedFile[]> {
  if (config.folder === null) return []
  const folder = createHash('sha256').update(config.folder).digest('hex').slice(0, 12)
  return (await files.folder(config.folder))
    .map((file) => ({ id: `${FILE_DOCUMENT_PREFIX}${folder}/${file.name}`, file, name: file.name }))
    .filter((it) => isMetadataFile(it) || !baseName(it.name).startsWith('.'))
}

const baseName = (name: string): string => name.split('/').at(-1) || name

/** A metadata file is not a document. */
const isMetadataFile = ({ name }: { name: string }): boolean => baseName(name) === METADATA_FILE

type MetadataByName = ReadonlyMap<string, FileMetadata>

/** Configured metadata overrides metadata files. */
async function readMetadataFiles(
  { config, files }: FileContext,
  metadataFiles: readonly ListedFile[],
): Promise<MetadataByName> {
  const named = config.zip_metadata_file_id === null ? [] : await files.uploads([config.zip_metadata_file_id])
  const byName = new Map<string, FileMetadata>()
  for (const file of [...metadataFiles.map((it) => it.file), ...named]) {
    const text = (await files.read(file)).toString('utf8')
    for (const [name, it] of parseMetadataOrNull(text) ?? []) byName.set(name, it)
  }
  for (const [name, it] of metadataByName(config.zip_metadata) ?? []) byName.set(name, it)
  return byName
}

function parseMetadataOrNull(text: string): Map<string, FileMetadata> | null {
  try {
    return metadataByName(JSON.parse(text))
  } catch {
    return null
  }
}

async function* readFile(
  context: FileContext,
  { id, file, name }: ListedFile,
  metadataOf: MetadataByName,
): AsyncGenerator<ConnectorItem, void> {
  // A member of an archive is read with its archive.
  if (context.only !== null && !context.only.some((it) => it === id || it.startsWith(`${id}/`))) return
  const previous = context.only === null ? parseFileNote(await context.recall(id)) : null
  if (previous?.version === file.version) {
    for (const it of [id, ...previous.parts]) yield { type: 'unchanged', id: it }
    return
  }
  try {
    const bytes = await context.files.read(file)
    const password = context.credential?.pdf_password ?? null
    const read = await readFileText(bytes, { name, mediaType: file.media_type, password, isPictureRead: true }, context)
    if (read.kind === 'unread') {
      yield { type: 'skipped', id, link: null, reason: read.reason }
      return
    }
    for (const it of read.unread) yield { type: 'skipped', id: `${id}/${it.name}`, link: null, reason: it.reason }
    const ownMetadata = metadataOf.get(name) ?? metadataOf.get(baseName(name))
    if (read.parts.length === 0 || read.sections.length > 0) {
      const document = toFileDocument({ id, name, changed_at: file.changed_at }, read, ownMetadata)
      const parts = partDocuments(id, file, read.parts, metadataOf)
      const note = { key: id, value: JSON.stringify({ version: file.version, parts: parts.map((it) => it.id) }) }
      for (const part of parts) yield { type: 'document', document: part }
      yield { type: 'document', document, ...(document.id === id && { note }) }
      return
    }
    for (const document of partDocuments(id, file, read.parts, metadataOf)) yield { type: 'document', document }
  } catch (error) {
    context.signal.throwIfAborted()
    const message = `${name} could not be read: ${errorMessage(error)}`
    yield { type: 'failure', document_id: id, link: null, stage: 'fetch', message }
  }
}

const FileNote = z.object({ version: z.string(), parts: z.array(z.string()) })

const parseFileNote = (text: string | null) => (text === null ? null : FileNote.parse(JSON.parse(text)))

/** Metadata inside the archive overrides metadata outside it. */
function partDocuments(
  id: string,
  file: SourceFile,
  parts: readonly (FileSections & { name: string })[],
  outer: MetadataByName,
): SourceDocument[] {
  const metadataPart = parts.find(isMetadataFile)
  const inner =
    parseMetadataOrNull(metadataPart?.sections.map((it) => it.text).join('\n') ?? '') ?? new Map<string, FileMetadata>()
  return parts
    .filter((it) => !isMetadataFile(it))
    .map((part) => {
      const base = baseName(part.name)
      const ownMetadata = inner.get(part.name) ?? inner.get(base) ?? outer.get(part.name) ?? outer.get(base)
      return toFileDocument(
        { id: `${id}/${part.name}`, name: part.name, changed_at: file.changed_at },
        part,
        ownMetadata,
      )
    })
}

function toFileDocument(
  { id, name, changed_at }: { id: string; name: string; changed_at: number },
  { title, sections, report }: FileSections,
  fileMetadata: FileMetadata | undefined,
): SourceDocument {
  const first = splitMetadataLine(sections[0]?.text ?? '')
  const { link, ...metadataOf } = { ...parseFileMetadata({}), ...fileMetadata, ...first.described }
  const withoutMetadataLine = sections.map((it, at) => (at === 0 ? { ...it, text: first.rest } : it))
  return {
    semantic_identifier: baseName(name),
    ...(title !== null && { title }),
    doc_updated_at: changed_at,
    id,
    report,
    ...metadataOf,
    sections: withoutMetadataLine.map(({ anchor, ...section }) => ({
      ...section,
      link: sectionLink(link, anchor),
    })),
  }
}

/** Without a link, a page, slide or sheet is kept as a place in the file: see `placeLink`. */
function sectionLink(link: string | null, anchor: string | null): string | null {
  if (anchor === null) return link
  if (link !== null) return `${link}#${anchor}`
  return PLACES.some((it) => anchor.startsWith(it)) ? `#${anchor}` : null
}

const PLACES = ['page=', 'slide=', 'sheet=']
