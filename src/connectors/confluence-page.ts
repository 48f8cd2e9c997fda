// What becomes of a page of a wiki: its text by headings, its comments, and a document for each attachment.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { timeOf } from './changed-pages.ts'
import { type PageAccess, Restriction } from './confluence-access.ts'
import { childrenOf, type Wiki } from './confluence-api.ts'
import { type Item, type Pull, type SourceDocument, SourceError } from './connector.ts'
import { parsed } from './json-answer.ts'
import { linkedTo, readFileText } from './read-file.ts'

const MAX_ATTACHMENT_BYTES = 50 << 20

const Person = z.object({ displayName: z.string().nullish(), email: z.string().nullish() })
const restrictions = z.object({ read: Restriction.nullish() }).nullish()
const has = z.object({ value: z.boolean() }).nullish()

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content */
export const Content = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  space: z.object({ key: z.string(), name: z.string().nullish() }),
  version: z.object({ when: z.string().nullish(), by: Person.nullish() }).nullish(),
  history: z.object({ createdDate: z.string().nullish(), createdBy: Person.nullish() }).nullish(),
  metadata: z.object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).nullish() }).nullish(),
  body: z.object({ storage: z.object({ value: z.string() }) }),
  childTypes: z.object({ comment: has, attachment: has }).nullish(),
  ancestors: z.array(z.object({ id: z.string(), title: z.string().nullish(), restrictions })).nullish(),
  restrictions,
  _links: z.object({ webui: z.string() }),
})
export type Content = z.infer<typeof Content>

/** What of it says who may read it. */
export const Guarded = Content.pick({ id: true, space: true, ancestors: true, restrictions: true })

export const EXPAND_ACCESS = [
  'space,ancestors',
  'restrictions.read.restrictions.user,restrictions.read.restrictions.group',
  'ancestors.restrictions.read.restrictions.user,ancestors.restrictions.read.restrictions.group',
].join(',')
export const EXPAND = `body.storage,version,history,metadata.labels,childTypes.all,${EXPAND_ACCESS}`

const Comment = z.object({
  id: z.string(),
  body: z.object({ storage: z.object({ value: z.string() }) }),
  version: z.object({ by: Person.nullish() }).nullish(),
})

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content---attachments */
export const Attachment = z.object({
  id: z.string(),
  title: z.string(),
  version: z.object({ number: z.number(), when: z.string().nullish(), by: Person.nullish() }),
  extensions: z.object({ mediaType: z.string().nullish(), fileSize: z.number().nullish() }).nullish(),
  _links: z.object({ download: z.string() }),
})
type Attachment = z.infer<typeof Attachment>

export interface PageFacts {
  wiki: Wiki
  accessOf: PageAccess
  hasAttachments: boolean
  /** Null for all of them. */
  only: ReadonlySet<string> | null
}

export const pageId = ({ base }: Wiki, id: string): string => `${base}/pages/viewpage.action?pageId=${id}`

/** As it is downloaded, without what changes with each version. */
export const attachmentId = ({ base }: Wiki, { _links }: Pick<Attachment, '_links'>): string =>
  `${base}${_links.download.split('?')[0]}`

const Named = z.object({ id: z.string() })

/** What is wrong with one page is no fault of the others. */
export async function* itemsOfPage(pull: Pick<Pull, 'recall' | 'extract'>, facts: PageFacts, value: unknown) {
  const { wiki, accessOf, only } = facts
  try {
    const page = parsed(Content, value)
    const access = await accessOf(page.space.key, page, page.ancestors ?? [])
    const id = pageId(wiki, page.id)
    if (only === null || only.has(id))
      yield { type: 'document', document: await documentOf(pull, wiki, page, access) } as Item
    if (!facts.hasAttachments || page.childTypes?.attachment?.value === false) return
    for (const it of await attachmentsOf(wiki, page.id)) {
      if (only === null || only.has(attachmentId(wiki, it)))
        yield await itemOfAttachment(pull, wiki, it, { page, access })
    }
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    const named = Named.safeParse(value)
    const id = named.success ? pageId(wiki, named.data.id) : null
    const message = `${named.success ? `Page ${named.data.id}` : 'A page'} could not be read: ${error.message}`
    yield { type: 'failure', document_id: id, link: id, stage: 'fetch', message } as Item
  }
}

export const attachmentsOf = (wiki: Wiki, id: string): Promise<Attachment[]> =>
  childrenOf(wiki, id, { kind: 'attachment', expand: 'version', schema: Attachment })

async function documentOf(
  pull: Pick<Pull, 'extract'>,
  wiki: Wiki,
  page: Content,
  external_access: ExternalAccess,
): Promise<SourceDocument> {
  const link = `${wiki.base}${page._links.webui}`
  const comments =
    page.childTypes?.comment?.value === false
      ? []
      : await childrenOf(wiki, page.id, { kind: 'comment', expand: 'body.storage,version', schema: Comment })
  const said: SourceDocument['sections'] = []
  for (const { id, body, version } of comments) {
    const texts = await textsOf(pull, body.storage.value)
    const text = texts.map((it) => it.text).join('\n')
    const heading = `Comment of ${version?.by?.displayName ?? 'a person who has left'}`
    if (text !== '')
      said.push({ text, heading, link: `${link}${link.includes('?') ? '&' : '?'}focusedCommentId=${id}` })
  }
  const own = await textsOf(pull, page.body.storage.value)
  return {
    id: pageId(wiki, page.id),
    semantic_identifier: page.title,
    sections: [...own.map(({ heading, text }) => ({ heading, text, link })), ...said],
    metadata: metadataOf(page),
    doc_updated_at: timeOf(page.version?.when),
    primary_owners: ownersOf(page.version?.by),
    secondary_owners: ownersOf(page.history?.createdBy),
    external_access,
  }
}

const ownersOf = (person: z.infer<typeof Person> | null | undefined) =>
  person?.displayName ? [{ display_name: person.displayName, email: person.email || null }] : []

/**
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html: what is HTML in it is read as such; code
 * is marked as data, and the settings of macros are no text.
 */
async function textsOf(pull: Pick<Pull, 'extract'>, storage: string) {
  const html = storage
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, data: string) => data.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
    .replace(/<ac:parameter\b[^>]*>[^<]*<\/ac:parameter>/g, '')
    .replace(/<ac:task-(?:id|uuid|status)>[^<]*<\/ac:task-(?:id|uuid|status)>/g, '')
    .replace(
      /<(\/?)ac:(?:plain-text-body|rich-text-body|task-body|structured-macro|task-list)\b[^>]*?(\/?)>/g,
      '<$1div$2>',
    )
  const page = Buffer.from(`<html><body><main>${html}</main></body></html>`)
  const read = await readFileText(page, { name: 'page.html', mediaType: 'text/html; charset=utf-8' }, pull)
  return read.kind === 'unread' ? [] : read.sections
}

function metadataOf({ type, space, metadata, history, ancestors }: Content): Record<string, string | string[]> {
  const values: Record<string, string | string[] | null | undefined> = {
    object_type: type,
    space: space.key,
    space_name: space.name,
    labels: metadata?.labels?.results.map((it) => it.name),
    author: history?.createdBy?.displayName,
    created_at: history?.createdDate,
    ancestors: ancestors?.flatMap((it) => it.title ?? []),
  }
  return Object.fromEntries(
    Object.entries(values).filter((it): it is [string, string | string[]] => it[1] != null && it[1].length > 0),
  )
}

async function itemOfAttachment(
  pull: Pick<Pull, 'recall' | 'extract'>,
  wiki: Wiki,
  attachment: Attachment,
  { page, access }: { page: Content; access: ExternalAccess },
): Promise<Item> {
  const { title, version, extensions } = attachment
  const id = attachmentId(wiki, attachment)
  // Who may read it goes with its page.
  const mark = JSON.stringify([version.number, access])
  if ((await pull.recall(id)) === mark) return { type: 'unchanged', id }
  const size = extensions?.fileSize ?? 0
  if (size > MAX_ATTACHMENT_BYTES) {
    return { type: 'skipped', id, link: id, reason: `It has ${size} bytes, and ${MAX_ATTACHMENT_BYTES} are the most.` }
  }
  try {
    const bytes = await wiki.rest.bytes(downloadOf(wiki, page, attachment))
    const read = await readFileText(bytes, { name: title, mediaType: extensions?.mediaType ?? null }, pull)
    if (read.kind === 'unread') return { type: 'skipped', id, link: id, reason: read.reason }
    const document: SourceDocument = {
      id,
      semantic_identifier: title,
      sections: linkedTo(id, read.sections),
      metadata: { object_type: 'attachment', space: page.space.key, page: page.title },
      doc_updated_at: timeOf(version.when),
      primary_owners: ownersOf(version.by),
      external_access: access,
    }
    return { type: 'document', document, note: { key: id, value: mark } }
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

/** A cloud gives a file away from its API only. */
const downloadOf = ({ isCloud }: Wiki, { id }: Content, { id: attachment, _links }: Attachment) =>
  isCloud ? `/rest/api/content/${id}/child/attachment/${attachment}/download` : _links.download
