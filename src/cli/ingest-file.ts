// What was read in a file → the documents that are pushed: its own, and one for each that lies in it.
import type { IngestionRequest } from '../client/schemas.ts'
import type { Extraction, Report, Section } from '../extract/extract.ts'
import type { Item } from './ingest-source.ts'

export interface FileFacts {
  /** What its id ends with. */
  path: string
  id: string
  link: string | null
  updatedAt: Date
  ccPairId: number | undefined
  source: string | undefined
}

export interface Found {
  /** The path; of what lies in the file, with its name there. */
  at: string
  content: Item['content']
}

/** Between an archive and the name of its member. */
export const WITHIN = '!/'

/** The parts come first: the file is dealt with when its last document is, and that one bears its path. */
export function documentsOf(extraction: Extraction, facts: FileFacts): Found[] {
  const found: Found[] = []
  const names = new Set<string>()
  for (const part of extraction.parts) {
    const name = `${WITHIN}${unique(part.name, names)}`
    found.push(...documentsOf(part, { ...facts, path: facts.path + name, id: facts.id + name }))
  }
  // An archive is its members.
  if (extraction.sections.length === 0 && found.length > 0 && extraction.report.verdict === 'ok')
    return [...found.slice(0, -1), inNameOf(facts.path, found.at(-1)!)]
  return [...found, { at: facts.path, content: contentOf(extraction, facts) }]
}

function inNameOf(path: string, { at, content }: Found): Found {
  return {
    at: path,
    content: 'problem' in content ? { problem: `${at.slice(path.length)}: ${content.problem}` } : content,
  }
}

function unique(name: string, names: Set<string>): string {
  let one = name
  for (let count = 2; names.has(one); count++) one = `${name} (${count})`
  names.add(one)
  return one
}

function contentOf(extraction: Extraction, facts: FileFacts): Item['content'] {
  const { sections, report } = extraction
  const problems = problemsOf(report)
  if (sections.length === 0 && problems.length > 0) return { problem: problems.join(' ') }
  return { body: bodyOf(extraction, facts, problems) }
}

/** The content was believed, and that a text ends where the reading ended goes without saying. */
const UNTOLD = new Set(['truncated', 'type_mismatch'])

const problemsOf = ({ warnings }: Report): string[] =>
  warnings
    .filter(({ code }) => !UNTOLD.has(code))
    .map(({ code, detail }) => (code === 'limit_hit' ? `It reaches the limit of ${detail}.` : detail))

const MAX_PROBLEMS = 20

function bodyOf({ title, sections, metadata }: Extraction, facts: FileFacts, problems: string[]): IngestionRequest {
  const { path, id, link, updatedAt, ccPairId, source } = facts
  const name = path.split('/').at(-1) ?? path
  const isPart = path.includes(WITHIN)
  return {
    ...(ccPairId !== undefined && { cc_pair_id: ccPairId }),
    document: {
      id,
      semantic_identifier: title ?? name.replace(/(?<=.)\.\w{1,8}$/, ''),
      sections: fitting(sections).map(({ text, heading, anchor }) => ({
        text,
        heading,
        link: link === null || anchor === null || isPart ? link : `${link}#${anchor}`,
      })),
      ...(source !== undefined && { source }),
      metadata: {
        path,
        ...(metadata.author !== null && { author: metadata.author }),
        ...(problems.length > 0 && { extraction_warnings: problems.slice(0, MAX_PROBLEMS) }),
      },
      doc_updated_at: updatedAt.toISOString(),
    },
  }
}

/** The service takes no more of them in a document. */
const MAX_SECTIONS = 10_000

/** Neighbours share one, and the place of the first. */
function fitting(sections: readonly Section[]): readonly Section[] {
  if (sections.length <= MAX_SECTIONS) return sections
  const share = Math.ceil(sections.length / MAX_SECTIONS)
  return Array.from({ length: Math.ceil(sections.length / share) }, (_, at) => {
    const [first, ...others] = sections.slice(at * share, (at + 1) * share) as [Section, ...Section[]]
    return {
      ...first,
      text: [first.text, ...others.map(({ heading, text }) => `${heading ?? ''}\n${text}`)].join('\n'),
    }
  })
}
