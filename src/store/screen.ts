// What the screen found in documents: what speaks to a model, and what a person does not see.
import type { DocumentContent, Section } from '../domain/document.ts'
import type { PassageWarning } from '../domain/passage.ts'
import { warningsOf } from '../domain/screen.ts'
import type { Database, Queries } from './database.ts'

/** Longer ones are looked at later: nobody waits for that. */
const MAX_SCREENED = 200_000

/** As the record keeps it, with a document that is accepted. */
export function warningsOfContent({ title, semantic_identifier, sections }: DocumentContent): string | null {
  const length = sections.reduce((sum, it) => sum + it.text.length + (it.heading?.length ?? 0), 0)
  if (length > MAX_SCREENED) return null
  const texts = sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`)
  return JSON.stringify(warningsOf([title ?? '', semantic_identifier, ...texts].join('\n\n')))
}

export interface ScreenedSource {
  source: string
  /** The living ones that hold it. */
  instructions: number
  hidden_text: number
  /** In all of them, taken out when they came. */
  hidden_characters: number
  /** How many wait to be looked at. */
  unscreened: number
}

/** Sources with nothing to tell are left out. */
export async function countScreened(db: Queries): Promise<ScreenedSource[]> {
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
  const sources = new Map<string, ScreenedSource>()
  const of = (source: string): ScreenedSource => {
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
    const warnings = warningsIn(it)
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
  sections: Section[]
}

/** In the order of their ids; `after`: only ids above that one. */
export async function listWarned(
  db: Queries,
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
    warnings: warningsIn(row),
    sections: JSON.parse(sections),
  }))
}

/** What was taken out was hidden text, whatever is left of it. */
function warningsIn({ warnings, hidden_characters }: { warnings: string | null; hidden_characters: number }) {
  const found: PassageWarning[] = warnings === null ? [] : JSON.parse(warnings)
  return hidden_characters > 0 && !found.includes('hidden_text') ? [...found, 'hidden_text' as const] : found
}

export interface Unscreened {
  id: string
  seq: number
  title: string | null
  semantic_identifier: string
  sections: Section[]
}

/** Documents that nobody has looked at: those that came before there was a screen, and long ones. */
export async function listUnscreened(db: Queries, limit: number): Promise<Unscreened[]> {
  const rows = await db
    .selectFrom('document')
    .select(['id', 'seq', 'title', 'semantic_identifier', 'sections'])
    .where('warnings', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((it) => ({ ...it, sections: JSON.parse(it.sections) }))
}

/** Of that version; a newer one is another text. */
export async function setWarnings(
  db: Database,
  { id, seq }: Pick<Unscreened, 'id' | 'seq'>,
  warnings: readonly PassageWarning[],
): Promise<void> {
  await db
    .updateTable('document')
    .set({ warnings: JSON.stringify(warnings) })
    .where('id', '=', id)
    .where('seq', '=', seq)
    .execute()
}
