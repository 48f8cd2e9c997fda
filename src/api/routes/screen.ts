import { z } from 'zod'
import { instructionsIn } from '../../domain/screen.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../domain/wire.ts'
import { countScreened, listWarned, type WarnedDocument } from '../../store/screen.ts'
import { route } from '../route.ts'

const ScreenedSource = z
  .object({
    source: z.string(),
    instructions: z.int().describe('Documents that tell their reader what to do, as a prompt would.'),
    hidden_text: z.int().describe('Documents that hold, or held when they came, text that a person does not see.'),
    hidden_characters: z.int().describe('Taken out of them when they came: characters that no reader shows.'),
    unscreened: z.int().describe('Documents that are yet to be looked at.'),
  })
  .meta({ id: 'ScreenedSource' })

const WarnedDocumentSnapshot = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    source: z.string(),
    link: z.string().nullable(),
    warnings: z.array(z.enum(['instructions', 'hidden_text'])),
    hidden_characters: z.int(),
    kind: z.string().nullable().describe('What it does that a prompt does.'),
    excerpt: z.string().nullable().describe('The place, in lower case.'),
  })
  .meta({ id: 'WarnedDocument' })

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
/** Of a longer text the place is not told. */
const MAX_LOOKED_AT = 500_000
const screen = { method: 'GET', access: 'connectors', tag: 'Ingestion' } as const

export const screenRoutes = [
  route({
    ...screen,
    path: '/admin/screen',
    summary: 'Documents that speak to a language model, by source',
    description:
      'Each document is looked through when it comes. What is found is marked where a language model reads it, never hidden from search: a page about such attacks is marked too. Sources with nothing to tell are left out.',
    reply: z.array(ScreenedSource),
    handle: ({ services: { db } }) => countScreened(db),
  }),
  route({
    ...screen,
    path: '/admin/screen/documents',
    summary: 'Which documents speak to a language model, and where',
    query: z.object({
      source: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })),
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`${DEFAULT_LIMIT} if it is not said.`),
      after: nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL })).describe(
        'Only documents whose id comes after this one, byte by byte.',
      ),
    }),
    reply: z.array(WarnedDocumentSnapshot),
    handle: async ({ query: { source, after, limit }, services: { db } }) =>
      (await listWarned(db, { source, after, limit: limit ?? DEFAULT_LIMIT })).map(snapshotOf),
  }),
]

function snapshotOf({ sections, ...document }: WarnedDocument): z.infer<typeof WarnedDocumentSnapshot> {
  const texts = [document.semantic_identifier, ...sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`)]
  const found = document.warnings.includes('instructions')
    ? instructionsIn(texts.join('\n\n').slice(0, MAX_LOOKED_AT))
    : null
  return { ...document, kind: found?.kind ?? null, excerpt: found?.excerpt ?? null }
}
