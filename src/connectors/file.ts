// Files: uploaded ones, archives of them with a list of what they are, and a folder of the server that is watched.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { nullish, wireArray, wireObject, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, type SourceDocument, SourceError, type SourceFile } from './connector.ts'
import { type Described, describe, METADATA_FILE, metadataByName, splitFirstLine } from './file-metadata.ts'
import { readFileText, type TextOfFile } from './read-file.ts'

const names = nullish(wireArray(wireString({ max: 1_000 }), { max: 100_000 }))

const Config = z.object({
  file_locations: names.describe(
    'The `file_paths` that POST /manage/admin/connector/file/upload has answered. None: it waits for files.',
  ),
  file_names: names.describe('What they are called, in their order.'),
  zip_metadata_file_id: nullish(wireString({ max: 200 })).describe(
    `An uploaded \`${METADATA_FILE}\`: what is known of each file, by its name.`,
  ),
  zip_metadata: nullish(wireObject()).describe('The same, in place.'),
  folder: nullish(wireString({ min: 1, max: 4_000 })).describe(
    'A folder of the server that is read with all below it, and watched. The operator opens it with CONNECTOR_FOLDERS.',
  ),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  pdf_password: nullish(wireString({ max: 1_000 })).describe('Opens those PDFs that need one.'),
})
type Credential = z.infer<typeof Credential>

type FilePull = Pull<Config, Credential>

export default connector<Config, Credential>({
  sources: ['file'],
  label: 'Files',
  description: 'Reads uploaded files and archives, and a folder of the server.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: false,
  async check({ config, files }) {
    if (config.folder !== null) await files.folder(config.folder)
  },
  load,
  async *listIds(pull) {
    for await (const item of load(pull)) {
      if (item.type === 'document') yield item.document.id
      if (item.type === 'unchanged' || item.type === 'skipped') yield item.id
      // It is there, under an id that only its content tells.
      if (item.type === 'failure' && item.stage === 'fetch') throw new SourceError('unavailable', item.message)
    }
  },
})

const PREFIX = 'FILE_CONNECTOR__'
const Checkpoint = z.object({ after: z.string() })

interface Listed {
  id: string
  file: SourceFile
  name: string
}

async function* load(pull: FilePull): AsyncGenerator<Item, void> {
  const { uploads, missing } = await listUploads(pull)
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
  const all = [...uploads, ...(await listFolder(pull))]
  const described = await describedBy(pull, all.filter(isList))
  const listed = all.filter((it) => !isList(it))
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  const at = left === null ? 0 : listed.findIndex((it) => it.id === left.after) + 1
  for (const it of listed.slice(at)) {
    pull.signal.throwIfAborted()
    yield* readOne(pull, it, described)
    yield { type: 'checkpoint', checkpoint: { after: it.id } satisfies z.infer<typeof Checkpoint> }
  }
}

async function listUploads({ config, files }: FilePull): Promise<{ uploads: Listed[]; missing: string[] }> {
  const ids = config.file_locations ?? []
  const nameOf = new Map(ids.map((id, at) => [id, config.file_names?.[at]]))
  const found = await files.uploads([...new Set(ids)])
  const uploads = found.map((file) => ({ id: `${PREFIX}${file.id}`, file, name: nameOf.get(file.id) ?? file.name }))
  return { uploads, missing: ids.filter((id) => !found.some((it) => it.id === id)) }
}

/** The place on the server is nobody's business who may read the document. */
async function listFolder({ config, files }: FilePull): Promise<Listed[]> {
  if (config.folder === null) return []
  const folder = createHash('sha256').update(config.folder).digest('hex').slice(0, 12)
  return (await files.folder(config.folder))
    .map((file) => ({ id: `${PREFIX}${folder}/${file.name}`, file, name: file.name }))
    .filter((it) => isList(it) || !baseName(it.name).startsWith('.'))
}

const baseName = (name: string): string => name.split('/').at(-1) || name

/** Such a file tells of others, and is no document. */
const isList = ({ name }: { name: string }): boolean => baseName(name) === METADATA_FILE

type ByName = ReadonlyMap<string, Described>

/** What is configured comes before what lies among the files. */
async function describedBy({ config, files }: FilePull, lists: readonly Listed[]): Promise<ByName> {
  const named = config.zip_metadata_file_id === null ? [] : await files.uploads([config.zip_metadata_file_id])
  const found = new Map<string, Described>()
  for (const file of [...lists.map((it) => it.file), ...named]) {
    const text = (await files.read(file)).toString('utf8')
    for (const [name, it] of parsedMetadata(text) ?? []) found.set(name, it)
  }
  for (const [name, it] of metadataByName(config.zip_metadata) ?? []) found.set(name, it)
  return found
}

function parsedMetadata(text: string): Map<string, Described> | null {
  try {
    return metadataByName(JSON.parse(text))
  } catch {
    return null
  }
}

async function* readOne(pull: FilePull, { id, file, name }: Listed, described: ByName): AsyncGenerator<Item, void> {
  if (pull.only !== null && !pull.only.includes(id)) return
  const remembered = rememberedOf(await pull.recall(id))
  if (remembered?.version === file.version) {
    for (const it of [id, ...remembered.parts]) yield { type: 'unchanged', id: it }
    return
  }
  try {
    const bytes = await pull.files.read(file)
    const password = pull.credential?.pdf_password ?? null
    const read = await readFileText(bytes, { name, mediaType: file.media_type, password }, pull)
    if (read.kind === 'unread') {
      yield { type: 'skipped', id, link: null, reason: read.reason }
      return
    }
    for (const it of read.unread) yield { type: 'skipped', id: `${id}/${it.name}`, link: null, reason: it.reason }
    const own = described.get(name) ?? described.get(baseName(name))
    if (read.parts.length === 0 || read.sections.length > 0) {
      const document = documentOf({ id, name, changed_at: file.changed_at }, read, own)
      const parts = partsOf(id, file, read.parts, described)
      const note = { key: id, value: JSON.stringify({ version: file.version, parts: parts.map((it) => it.id) }) }
      for (const part of parts) yield { type: 'document', document: part }
      yield { type: 'document', document, ...(document.id === id && { note }) }
      return
    }
    for (const document of partsOf(id, file, read.parts, described)) yield { type: 'document', document }
  } catch (error) {
    pull.signal.throwIfAborted()
    const message = `${name} could not be read: ${(error as Error).message}`
    yield { type: 'failure', document_id: id, link: null, stage: 'fetch', message }
  }
}

const Remembered = z.object({ version: z.string(), parts: z.array(z.string()) })

const rememberedOf = (text: string | null) => (text === null ? null : Remembered.parse(JSON.parse(text)))

/** The list in the archive comes before one beside it. */
function partsOf(
  id: string,
  file: SourceFile,
  parts: readonly (TextOfFile & { name: string })[],
  beside: ByName,
): SourceDocument[] {
  const list = parts.find(isList)
  const inside = parsedMetadata(list?.sections.map((it) => it.text).join('\n') ?? '') ?? new Map<string, Described>()
  return parts
    .filter((it) => !isList(it))
    .map((part) => {
      const base = baseName(part.name)
      const own = inside.get(part.name) ?? inside.get(base) ?? beside.get(part.name) ?? beside.get(base)
      return documentOf({ id: `${id}/${part.name}`, name: part.name, changed_at: file.changed_at }, part, own)
    })
}

function documentOf(
  { id, name, changed_at }: { id: string; name: string; changed_at: number },
  { title, sections }: TextOfFile,
  given: Described | undefined,
): SourceDocument {
  const first = splitFirstLine(sections[0]?.text ?? '')
  const { link, ...described } = { ...describe({}), ...given, ...first.described }
  const texts = sections.map((it, at) => (at === 0 ? { ...it, text: first.rest } : it))
  return {
    semantic_identifier: baseName(name),
    ...(title !== null && { title }),
    doc_updated_at: changed_at,
    id,
    ...described,
    sections: texts.map(({ text, heading, anchor }) => ({
      text,
      heading,
      link: link !== null && anchor !== null ? `${link}#${anchor}` : link,
    })),
  }
}
