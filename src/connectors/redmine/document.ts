// Converts an issue or wiki page into a document.
import type { z } from 'zod'
import type { ConnectorContext, SourceDocument } from '../connector.ts'
import { guessTextType, SKIPPED_EXTENSIONS, toSections } from '../files/file-sections.ts'
import { readFileText, readSourceText } from '../files/read-file-text.ts'
import type { RedmineAccess } from './access.ts'
import type { RedmineAttachment, RedmineClient, RedmineIssue, RedmineProject, RedmineRef, WikiPage } from './client.ts'

interface DocumentSource {
  context: Pick<ConnectorContext, 'extract'>
  redmine: RedmineClient
  access: RedmineAccess
  project: RedmineProject
}

export async function toRedmineIssueDocument(
  source: DocumentSource,
  id: string,
  issue: RedmineIssue,
): Promise<SourceDocument> {
  const { tracker, subject, author, assigned_to, attachments } = issue
  const notes = issue.journals.flatMap(({ user, notes: text, private_notes }, at) =>
    // Not every role that may see the issue may see its private notes.
    private_notes || !text?.trim()
      ? []
      : [{ heading: user?.name ?? null, text: text.trim(), link: `${id}#note-${at + 1}` }],
  )
  return {
    id,
    semantic_identifier: `${tracker === undefined ? '' : `${tracker.name} `}#${issue.id}: ${subject}`,
    sections: [
      ...(await readSourceText(issue.description ?? '', 'wiki-text', source.context)).map(({ heading, text }) => ({
        heading,
        text,
        link: id,
      })),
      ...notes,
      ...(await attachmentSections(source, attachments)),
    ],
    doc_updated_at: Date.parse(issue.updated_on),
    primary_owners: [author, assigned_to].flatMap((it) => redmineOwners(source.access, it)),
    metadata: redmineIssueMetadata(issue),
  }
}

const redmineOwners = ({ emailOf }: RedmineAccess, person: RedmineRef | undefined) =>
  person === undefined || person.name === '' ? [] : [{ display_name: person.name, email: emailOf(person.id) }]

function redmineIssueMetadata(issue: RedmineIssue): Record<string, string | string[]> {
  const { project, tracker, status, priority, author, assigned_to, category, fixed_version, parent } = issue
  const named = { project, tracker, status, priority, author, assigned_to, category, fixed_version }
  const facts: Record<string, string | null | undefined> = {
    ...Object.fromEntries(Object.entries(named).map(([name, it]) => [name, it?.name])),
    parent: parent === undefined ? null : `#${parent.id}`,
    start_date: issue.start_date,
    due_date: issue.due_date,
    is_private: issue.is_private ? 'true' : null,
  }
  const attached = issue.attachments.map((it) => it.filename)
  return {
    ...Object.fromEntries(Object.entries(facts).flatMap(([name, it]) => (it ? [[name, it]] : []))),
    ...(attached.length > 0 && { attachments: attached.slice(0, 200) }),
  }
}

type RedmineWikiPage = z.infer<typeof WikiPage>['wiki_page']

export async function toRedminePageDocument(
  source: DocumentSource,
  id: string,
  page: RedmineWikiPage,
): Promise<SourceDocument> {
  const { title, text, version, updated_on, author, attachments } = page
  const attached = attachments.map((it) => it.filename)
  return {
    id,
    semantic_identifier: title.replaceAll('_', ' '),
    sections: [
      ...(await readSourceText(text ?? '', 'wiki-text', source.context)).map((it) => ({
        heading: it.heading,
        text: it.text,
        link: it.anchor === null ? id : `${id}#${encodeURIComponent(it.anchor)}`,
      })),
      ...(await attachmentSections(source, attachments)),
    ],
    doc_updated_at: Date.parse(updated_on),
    primary_owners: redmineOwners(source.access, author),
    metadata: {
      project: source.project.name,
      version: `${version}`,
      ...(attached.length > 0 && { attachments: attached.slice(0, 200) }),
    },
  }
}

const MAX_ATTACHMENT_BYTES = 20 << 20
const MAX_ATTACHMENTS = 50

async function attachmentSections(
  { context, redmine }: DocumentSource,
  attachments: readonly RedmineAttachment[],
): Promise<SourceDocument['sections']> {
  const sections: SourceDocument['sections'] = []
  for (const { id, filename, filesize } of attachments.slice(0, MAX_ATTACHMENTS)) {
    if (SKIPPED_EXTENSIONS.test(filename) || filesize > MAX_ATTACHMENT_BYTES) continue
    const path = `/attachments/download/${id}/${encodeURIComponent(filename)}`
    const { status, body } = await redmine.download(path, MAX_ATTACHMENT_BYTES + 1)
    if (status !== 200) continue
    const read = await readFileText(body, { name: filename, mediaType: guessTextType(filename, body) }, context)
    if (read.kind === 'unread') continue
    const link = `${redmine.base}/attachments/${id}`
    for (const it of toSections(read, link)) {
      sections.push({ ...it, heading: it.heading ? `${filename}: ${it.heading}` : filename })
    }
  }
  return sections
}
