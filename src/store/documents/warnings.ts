// Warnings about documents: texts that address a model, and texts that people do not see.

import type { PassageWarning } from '../../domain/chat/passage.ts'
import type { DocumentContent, DocumentSection } from '../../domain/document.ts'
import { detectWarnings } from '../../domain/injection/injection-scan.ts'
import type { Database, Queryable } from '../database/database.ts'

/** Longer documents are scanned later in the background. */
const MAX_SCANNED = 200_000

/** Returns the column value for an accepted document; null when it is scanned later. */
export function scanWarnings({
  title,
  semantic_identifier,
  sections,
}: Pick<DocumentContent, 'title' | 'semantic_identifier' | 'sections'>): string | null {
  const length = sections.reduce((sum, it) => sum + it.text.length + (it.heading?.length ?? 0), 0)
  if (length > MAX_SCANNED) return null
  const texts = sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`)
  return JSON.stringify(detectWarnings([title ?? '', semantic_identifier, ...texts].join('\n\n')))
}

export interface SourceWarnings {
  source: string
  /** Counts of documents that are not deleted. */
  instructions: number
  hidden_text: number
  /** Removed hidden characters in all of them. */
  hidden_characters: number
  /** Documents that wait to be scanned. */
  unscreened: number
}

/** Sources without findings are left out. */
export async function countWarningsBySource(db: Queryable): Promise<SourceWarnings[]> {
  const living = db.selectFrom('document').where('deleted_at', 'is', null)
  const [warned, waiting] = await Promise.all([
    living
      .where((it) => it.or([it('warnings', '<>', '[]'), it('hidden_characters', '>', 0)]))
      .select(['source', 'warnings', 'hidden_characters'])
      .execute(),
    living
      .where('warnings', 'is', null)
      .groupBy('source')
      .select((it) => ['source' as const, it.fn.countAll<number>().as('count')])
      .execute(),
  ])
  const sources = new Map<string, SourceWarnings>()
  const of = (source: string): SourceWarnings => {
    const known = sources.get(source) ?? {
      source,
      instructions: 0,
      hidden_text: 0,
      hidden_characters: 0,
      unscreened: 0,
    }
    sources.set(source, known)
    return known
  }
  for (const it of warned) {
    const counts = of(it.source)
    const warnings = parseWarnings(it)
    if (warnings.includes('instructions')) counts.instructions++
    if (warnings.includes('hidden_text')) counts.hidden_text++
    counts.hidden_characters += it.hidden_characters
  }
  for (const { source, count } of waiting) of(source).unscreened = count
  return [...sources.values()].sort((a, b) => (a.source < b.source ? -1 : 1))
}

export interface WarnedDocument {
  document_id: string
  semantic_identifier: string
  source: string
  link: string | null
  warnings: PassageWarning[]
  hidden_characters: number
  sections: DocumentSection[]
}

/** Lists documents in order of their ids. `after` limits the list to greater ids. */
export async function listWarnedDocuments(
  db: Queryable,
  { source, after, limit }: { source: string | null; after: string | null; limit: number },
): Promise<WarnedDocument[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'semantic_identifier', 'source', 'link', 'warnings', 'hidden_characters', 'sections'])
    .where('deleted_at', 'is', null)
    .where((it) => it.or([it('warnings', '<>', '[]'), it('hidden_characters', '>', 0)]))
    .$if(source !== null, (it) => it.where('source', '=', source ?? ''))
    .$if(after !== null, (it) => it.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, sections, ...row }) => ({
    ...row,
    document_id: id,
    warnings: parseWarnings(row),
    sections: JSON.parse(sections),
  }))
}

/** Removed characters count as hidden text, whatever is left of it. */
function parseWarnings({ warnings, hidden_characters }: { warnings: string | null; hidden_characters: number }) {
  const found: PassageWarning[] = warnings === null ? [] : JSON.parse(warnings)
  return hidden_characters > 0 && !found.includes('hidden_text') ? [...found, 'hidden_text' as const] : found
}

export interface UnscannedDocument {
  id: string
  seq: number
  title: string | null
  semantic_identifier: string
  sections: DocumentSection[]
}

/** Lists documents that were never scanned: long ones, and those older than the scan. */
export async function listUnscannedDocuments(db: Queryable, limit: number): Promise<UnscannedDocument[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'seq', 'title', 'semantic_identifier', 'sections'])
    .where('warnings', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((it) => ({ ...it, sections: JSON.parse(it.sections) }))
}

/** Sets the warnings of this version; a newer one has a different text. */
export async function setDocumentWarnings(
  db: Database,
  { id, seq }: Pick<UnscannedDocument, 'id' | 'seq'>,
  warnings: readonly PassageWarning[],
): Promise<void> {
  await db
    .updateTable('document')
    .set({ warnings: JSON.stringify(warnings) })
    .where('id', '=', id)
    .where('seq', '=', seq)
    .execute()
}
