// A document as clients push it, and as the record keeps it.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { externalAccess } from './access.ts'
import { withoutTags } from './screen.ts'
import {
  documentId,
  nullish,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireInteger,
  wireMetadataValue,
  wireObject,
  wireString,
  wireUnion,
} from './wire.ts'

export const MAX_SECTIONS = 10_000
export const MAX_TEXT = 16_000_000
const MAX_METADATA_KEYS = 256
const MAX_METADATA_BYTES = 8_192
const MAX_TITLE = 10_000
const MAX_ID = 2_000

const link = nullish(wireString({ max: 10_000 }))

const TextSection = z
  .object({
    text: wireString(),
    link,
    heading: nullish(wireString({ max: MAX_TITLE })),
    image_file_id: nullish(wireString({ max: 200 })),
  })
  .meta({ id: 'TextSection' })

const ImageSection = z
  .object({
    image_file_id: wireString({ min: 1, max: 200 }),
    text: nullish(wireString()),
    link,
    heading: nullish(wireString({ max: MAX_TITLE })),
  })
  .meta({ id: 'ImageSection' })

/** Owners end up in headers of mails and in tables: one line of text. */
const ownerText = nullish(wireString({ max: 500, pattern: /^[^\x00-\x1f\x7f]*$/ }))

const Owner = z
  .object({
    display_name: ownerText,
    first_name: ownerText,
    middle_initial: ownerText,
    last_name: ownerText,
    email: ownerText,
  })
  .meta({ id: 'Owner' })
export type Owner = z.infer<typeof Owner>

/** How an owner is named to people. */
export function ownerName({ first_name, middle_initial, last_name, display_name, email }: Owner): string {
  const initial = middle_initial ? `${middle_initial.toUpperCase()}.` : null
  const full = [first_name, initial, last_name].filter((it) => it !== null).map(capitalized)
  return (first_name && last_name ? full.join(' ') : null) ?? display_name ?? email ?? first_name ?? 'Unknown'
}
const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const metadata = wireObject(wireMetadataValue({ max: MAX_METADATA_BYTES }), { max: MAX_METADATA_KEYS }).refine(
  (it) => Object.entries(it).every(([key, value]) => Buffer.byteLength(key) + bytesOf(value) <= MAX_METADATA_BYTES),
  `a metadata entry is longer than ${MAX_METADATA_BYTES} bytes`,
)

const bytesOf = (value: string | readonly string[]) =>
  typeof value === 'string' ? Buffer.byteLength(value) : value.reduce((sum, it) => sum + Buffer.byteLength(it) + 1, 0)

export const IngestionDocument = z
  .object({
    id: nullish(documentId()),
    semantic_identifier: wireString({ max: MAX_TITLE }),
    title: nullish(wireString({ max: MAX_TITLE })),
    sections: wireArray(wireUnion({ TextSection, ImageSection }), { max: MAX_SECTIONS }).refine(
      (it) => it.reduce((sum, section) => sum + (section.text?.length ?? 0), 0) <= MAX_TEXT,
      `the sections hold more than ${MAX_TEXT} characters of text`,
    ),
    source: nullish(wireString({ min: 1, max: 100 })),
    metadata,
    doc_updated_at: nullish(wireDateTime()),
    chunk_count: nullish(wireInteger()),
    primary_owners: nullish(wireArray(Owner, { max: 1_000 })),
    secondary_owners: nullish(wireArray(Owner, { max: 1_000 })),
    from_ingestion_api: nullish(wireBoolean()),
    external_access: nullish(externalAccess),
  })
  .meta({ id: 'IngestionDocument' })
export type IngestionDocument = z.infer<typeof IngestionDocument>

/** A section as it is kept: what was not given is null. */
export interface Section {
  text: string
  link: string | null
  heading: string | null
  image_file_id: string | null
  /** What the image is called; absent where no image is known by that id. */
  image_file_name?: string
}

/** The content of one version of a document. What this holds decides whether two versions are the same. */
export interface DocumentContent {
  id: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  doc_updated_at: number | null
  metadata: Record<string, string | string[]>
  primary_owners: Owner[]
  secondary_owners: Owner[]
  external_access: z.infer<typeof externalAccess> | null
  sections: Section[]
  /** How many were taken out because nobody would see them, see `withoutTags`. */
  hidden_characters: number
}

/** `imageNames`: of those images that whoever pushes it may use, by their ids. */
export function contentOf(
  document: IngestionDocument,
  imageNames: ReadonlyMap<string, string> = new Map(),
): DocumentContent {
  const sections = document.sections.map(({ text, link, heading, image_file_id }): Section => {
    const name = imageNames.get(image_file_id ?? '')
    return {
      text: clean(text ?? ''),
      link: link === null || link === undefined ? null : clean(link),
      heading: heading === null || heading === undefined ? null : clean(heading),
      image_file_id: image_file_id ?? null,
      ...(name !== undefined && { image_file_name: clean(name) }),
    }
  })
  return {
    id: document.id ?? derivedId(document.semantic_identifier),
    semantic_identifier: clean(document.semantic_identifier),
    title: document.title === null ? null : clean(document.title),
    source: clean(document.source ?? 'ingestion_api'),
    link: sections.find((it) => it.link !== null)?.link ?? null,
    doc_updated_at: document.doc_updated_at,
    metadata: cleanMetadata(document.metadata),
    primary_owners: (document.primary_owners ?? []).map(cleanOwner),
    secondary_owners: (document.secondary_owners ?? []).map(cleanOwner),
    external_access: document.external_access,
    sections,
    hidden_characters: hiddenIn(document),
  }
}

/** A document without an id is named by its title, so that the same push updates it. */
function derivedId(semanticIdentifier: string): string {
  const id = `ingestion_api_${percentEncode(semanticIdentifier.toWellFormed())}`
  if (id.length <= MAX_ID) return id
  const hash = createHash('sha256').update(id).digest('hex')
  return `${id.slice(0, MAX_ID - hash.length - 1)}_${hash}`
}

const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

/** Not every store can hold NUL, and half a surrogate pair is no character. */
const clean = (text: string) => withoutTags(text.toWellFormed().replaceAll('\0', ''))

function hiddenIn({ semantic_identifier, title, sections }: IngestionDocument): number {
  const texts = [semantic_identifier, title ?? '', ...sections.flatMap((it) => [it.text ?? '', it.heading ?? ''])]
  // Each is written with two units.
  return texts.reduce((sum, it) => sum + (it.length - withoutTags(it).length) / 2, 0)
}

const cleanOwner = (owner: Owner): Owner => ({
  display_name: owner.display_name?.toWellFormed() ?? null,
  first_name: owner.first_name?.toWellFormed() ?? null,
  middle_initial: owner.middle_initial?.toWellFormed() ?? null,
  last_name: owner.last_name?.toWellFormed() ?? null,
  email: owner.email?.toWellFormed() ?? null,
})

const cleanMetadata = (metadata: DocumentContent['metadata']): DocumentContent['metadata'] =>
  Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === 'string' ? clean(value) : value.map(clean)]),
  )

/** The title that search looks at: an empty one is no title at all, an absent one is the display title. */
export const searchTitle = (document: { title: string | null; semantic_identifier: string }): string =>
  document.title ?? document.semantic_identifier

export function tagsOf(metadata: DocumentContent['metadata']): { tag_key: string; tag_value: string }[] {
  return Object.entries(metadata).flatMap(([tag_key, value]) =>
    (typeof value === 'string' ? [value] : value).map((tag_value) => ({ tag_key, tag_value })),
  )
}
