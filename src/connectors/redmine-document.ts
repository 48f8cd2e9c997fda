// An issue or a page of a wiki as a document.
import type { z } from 'zod'
import type { Pull, SourceDocument } from './connector.ts'
import { NEVER_READ, sectionsOf, textTypeOf } from './file-sections.ts'
import { readFileText } from './read-file.ts'
import type { RedmineAccess } from './redmine-access.ts'
import type { Attachment, Issue, Named, Project, Redmine, WikiPage } from './redmine-api.ts'
import { sectionsOfText } from './redmine-text.ts'

interface From {
  pull: Pick<Pull, 'extract'>
  redmine: Redmine
  access: RedmineAccess
  project: Project
}

export async function issueDocument(from: From, id: string, issue: Issue): Promise<SourceDocument> {
  const { tracker, subject, author, assigned_to, attachments } = issue
  const notes = issue.journals.flatMap(({ user, notes: text, private_notes }, at) =>
    // Roles that may see issues need not see these.
    private_notes || !text?.trim()
      ? []
      : [{ heading: user?.name ?? null, text: text.trim(), link: `${id}#note-${at + 1}` }],
  )
  return {
    id,
    semantic_identifier: `${tracker === undefined ? '' : `${tracker.name} `}#${issue.id}: ${subject}`,
    sections: [
      ...sectionsOfText(issue.description ?? '').map(({ heading, text }) => ({ heading, text, link: id })),
      ...notes,
      ...(await attachedSections(from, attachments)),
    ],
    doc_updated_at: Date.parse(issue.updated_on),
    primary_owners: [author, assigned_to].flatMap((it) => ownerOf(from.access, it)),
    metadata: factsOf(issue),
  }
}

const ownerOf = ({ emailOf }: RedmineAccess, person: Named | undefined) =>
  person === undefined || person.name === '' ? [] : [{ display_name: person.name, email: emailOf(person.id) }]

function factsOf(issue: Issue): Record<string, string | string[]> {
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

type Page = z.infer<typeof WikiPage>['wiki_page']

export async function pageDocument(from: From, id: string, page: Page): Promise<SourceDocument> {
  const { title, text, version, updated_on, author, attachments } = page
  const attached = attachments.map((it) => it.filename)
  return {
    id,
    semantic_identifier: title.replaceAll('_', ' '),
    sections: [
      ...sectionsOfText(text ?? '').map((it) => ({
        heading: it.heading,
        text: it.text,
        link: it.anchor === null ? id : `${id}#${encodeURIComponent(it.anchor)}`,
      })),
      ...(await attachedSections(from, attachments)),
    ],
    doc_updated_at: Date.parse(updated_on),
    primary_owners: ownerOf(from.access, author),
    metadata: {
      project: from.project.name,
      version: `${version}`,
      ...(attached.length > 0 && { attachments: attached.slice(0, 200) }),
    },
  }
}

const MAX_ATTACHMENT = 20 << 20
const MAX_ATTACHMENTS = 50

async function attachedSections(
  { pull, redmine }: From,
  attachments: readonly Attachment[],
): Promise<SourceDocument['sections']> {
  const sections: SourceDocument['sections'] = []
  for (const { id, filename, filesize } of attachments.slice(0, MAX_ATTACHMENTS)) {
    if (NEVER_READ.test(filename) || filesize > MAX_ATTACHMENT) continue
    const path = `/attachments/download/${id}/${encodeURIComponent(filename)}`
    const { status, body } = await redmine.download(path, MAX_ATTACHMENT + 1)
    if (status !== 200) continue
    const read = await readFileText(body, { name: filename, mediaType: textTypeOf(filename, body) }, pull)
    if (read.kind === 'unread') continue
    const link = `${redmine.base}/attachments/${id}`
    for (const it of sectionsOf(read, link)) {
      sections.push({ ...it, heading: it.heading ? `${filename}: ${it.heading}` : filename })
    }
  }
  return sections
}
