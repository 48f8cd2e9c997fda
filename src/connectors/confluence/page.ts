// Converts a page into a document with its comments, and each attachment into a document of its own.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { type ConnectorContext, type ConnectorItem, type SourceDocument, SourceError } from '../connector.ts'
import { linkSections, readFileText, readSourceText } from '../files/read-file-text.ts'
import { parseTime } from '../rest/changed-pages.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { type PageAccess, ReadRestriction } from './access.ts'
import { type ConfluenceClient, listChildren } from './client.ts'

const MAX_ATTACHMENT_BYTES = 50 << 20

const PageAuthor = z.object({ displayName: z.string().nullish(), email: z.string().nullish() })
const restrictions = z.object({ read: ReadRestriction.nullish() }).nullish()
const childFlag = z.object({ value: z.boolean() }).nullish()

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content */
export const ConfluenceContent = z.object({
  id: z.string(),
  type: z.string(),
  title: z.string(),
  space: z.object({ key: z.string(), name: z.string().nullish() }),
  version: z.object({ when: z.string().nullish(), by: PageAuthor.nullish() }).nullish(),
  history: z.object({ createdDate: z.string().nullish(), createdBy: PageAuthor.nullish() }).nullish(),
  metadata: z.object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).nullish() }).nullish(),
  body: z.object({ storage: z.object({ value: z.string() }) }),
  childTypes: z.object({ comment: childFlag, attachment: childFlag }).nullish(),
  ancestors: z.array(z.object({ id: z.string(), title: z.string().nullish(), restrictions })).nullish(),
  restrictions,
  _links: z.object({ webui: z.string() }),
})
export type ConfluenceContent = z.infer<typeof ConfluenceContent>

/** The fields that determine who may read it. */
export const ContentAccess = ConfluenceContent.pick({ id: true, space: true, ancestors: true, restrictions: true })

export const EXPAND_ACCESS = [
  'space,ancestors',
  'restrictions.read.restrictions.user,restrictions.read.restrictions.group',
  'ancestors.restrictions.read.restrictions.user,ancestors.restrictions.read.restrictions.group',
].join(',')
export const EXPAND = `body.storage,version,history,metadata.labels,childTypes.all,${EXPAND_ACCESS}`

const ConfluenceComment = z.object({
  id: z.string(),
  body: z.object({ storage: z.object({ value: z.string() }) }),
  version: z.object({ by: PageAuthor.nullish() }).nullish(),
})

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content---attachments */
export const ConfluenceAttachment = z.object({
  id: z.string(),
  title: z.string(),
  version: z.object({ number: z.number(), when: z.string().nullish(), by: PageAuthor.nullish() }),
  extensions: z.object({ mediaType: z.string().nullish(), fileSize: z.number().nullish() }).nullish(),
  _links: z.object({ download: z.string() }),
})
type Attachment = z.infer<typeof ConfluenceAttachment>

export interface PageContext {
  wiki: ConfluenceClient
  accessOf: PageAccess
  hasAttachments: boolean
  /** Null reads all. */
  only: ReadonlySet<string> | null
}

export const pageId = ({ base }: ConfluenceClient, id: string): string => `${base}/pages/viewpage.action?pageId=${id}`

/** The download URL without its query, which changes with each version. */
export const attachmentId = ({ base }: ConfluenceClient, { _links }: Pick<Attachment, '_links'>): string =>
  `${base}${_links.download.split('?')[0]}`

const ContentKey = z.object({ id: z.string() })

/** An error in one page becomes a failure item; the run continues. */
export async function* pageItems(
  context: Pick<ConnectorContext, 'recall' | 'extract'>,
  facts: PageContext,
  value: unknown,
): AsyncGenerator<ConnectorItem, void> {
  const { wiki, accessOf, only } = facts
  try {
    const page = validateAnswer(ConfluenceContent, value)
    const access = await accessOf(page.space.key, page, page.ancestors ?? [])
    const id = pageId(wiki, page.id)
    if (only === null || only.has(id))
      yield { type: 'document', document: await toPageDocument(context, wiki, page, access) }
    if (!facts.hasAttachments || page.childTypes?.attachment?.value === false) return
    for (const it of await listAttachments(wiki, page.id)) {
      if (only === null || only.has(attachmentId(wiki, it)))
        yield await attachmentItem(context, wiki, it, { page, access })
    }
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    const named = ContentKey.safeParse(value)
    const id = named.success ? pageId(wiki, named.data.id) : null
    const message = `${named.success ? `Page ${named.data.id}` : 'A page'} could not be read: ${error.message}`
    yield { type: 'failure', document_id: id, link: id, stage: 'fetch', message }
  }
}

export const listAttachments = (wiki: ConfluenceClient, id: string): Promise<Attachment[]> =>
  listChildren(wiki, id, { kind: 'attachment', expand: 'version', schema: ConfluenceAttachment })

async function toPageDocument(
  context: Pick<ConnectorContext, 'extract'>,
  wiki: ConfluenceClient,
  page: ConfluenceContent,
  external_access: ExternalAccess,
): Promise<SourceDocument> {
  const link = `${wiki.base}${page._links.webui}`
  const comments =
    page.childTypes?.comment?.value === false
      ? []
      : await listChildren(wiki, page.id, {
          kind: 'comment',
          expand: 'body.storage,version',
          schema: ConfluenceComment,
        })
  const commentSections: SourceDocument['sections'] = []
  for (const { id, body, version } of comments) {
    const texts = await readSourceText(body.storage.value, 'storage-format', context)
    const text = texts.map((it) => it.text).join('\n')
    const heading = `Comment by ${version?.by?.displayName ?? 'a former user'}`
    if (text !== '')
      commentSections.push({ text, heading, link: `${link}${link.includes('?') ? '&' : '?'}focusedCommentId=${id}` })
  }
  const bodySections = await readSourceText(page.body.storage.value, 'storage-format', context)
  return {
    id: pageId(wiki, page.id),
    semantic_identifier: page.title,
    sections: [...bodySections.map(({ heading, text }) => ({ heading, text, link })), ...commentSections],
    metadata: pageMetadata(page),
    doc_updated_at: parseTime(page.version?.when),
    primary_owners: pageOwners(page.version?.by),
    secondary_owners: pageOwners(page.history?.createdBy),
    external_access,
  }
}

const pageOwners = (person: z.infer<typeof PageAuthor> | null | undefined) =>
  person?.displayName ? [{ display_name: person.displayName, email: person.email || null }] : []

function pageMetadata({
  type,
  space,
  metadata,
  history,
  ancestors,
}: ConfluenceContent): Record<string, string | string[]> {
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

async function attachmentItem(
  context: Pick<ConnectorContext, 'recall' | 'extract'>,
  wiki: ConfluenceClient,
  attachment: Attachment,
  { page, access }: { page: ConfluenceContent; access: ExternalAccess },
): Promise<ConnectorItem> {
  const { title, version, extensions } = attachment
  const id = attachmentId(wiki, attachment)
  // The readers of the page are part of the fingerprint, because they also apply to the attachment.
  const fingerprint = JSON.stringify([version.number, access])
  if ((await context.recall(id)) === fingerprint) return { type: 'unchanged', id }
  const size = extensions?.fileSize ?? 0
  if (size > MAX_ATTACHMENT_BYTES) {
    return {
      type: 'skipped',
      id,
      link: id,
      reason: `The file has ${size} bytes. The limit is ${MAX_ATTACHMENT_BYTES}.`,
    }
  }
  try {
    const bytes = await wiki.rest.fetchBytes(downloadPath(wiki, page, attachment))
    const read = await readFileText(
      bytes,
      { name: title, mediaType: extensions?.mediaType ?? null, isPictureRead: true },
      context,
    )
    if (read.kind === 'unread') return { type: 'skipped', id, link: id, reason: read.reason }
    const document: SourceDocument = {
      id,
      semantic_identifier: title,
      sections: linkSections(id, read.sections),
      report: read.report,
      metadata: { object_type: 'attachment', space: page.space.key, page: page.title },
      doc_updated_at: parseTime(version.when),
      primary_owners: pageOwners(version.by),
      external_access: access,
    }
    return { type: 'document', document, note: { key: id, value: fingerprint } }
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

/** The cloud serves downloads through its API only. */
const downloadPath = (
  { isCloud }: ConfluenceClient,
  { id }: ConfluenceContent,
  { id: attachment, _links }: Attachment,
) => (isCloud ? `/rest/api/content/${id}/child/attachment/${attachment}/download` : _links.download)
