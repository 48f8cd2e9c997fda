import { z } from 'zod'
import { findInjection } from '../../../domain/injection/injection-scan.ts'
import { countWarningsBySource, listWarnedDocuments, type WarnedDocument } from '../../../store/documents/warnings.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const ScreenedSource = z
  .object({
    source: z.string(),
    instructions: z.int().describe('Number of documents with instructions addressed to a language model.'),
    hidden_text: z
      .int()
      .describe('Number of documents that contain, or contained when they were ingested, text invisible to people.'),
    hidden_characters: z.int().describe('Number of invisible characters removed from them at ingestion.'),
    unscreened: z.int().describe('Number of documents not scanned yet.'),
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
    kind: z.string().nullable().describe('The kind of instruction.'),
    excerpt: z.string().nullable().describe('The matching text, lower-cased.'),
  })
  .meta({ id: 'WarnedDocument' })

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
/** Excerpts are searched in this many leading characters. */
const MAX_SCANNED_LENGTH = 500_000
const scanDefaults = { method: 'GET', access: 'connectors', tag: 'Ingestion' } as const

export const injectionScanRoutes = [
  route({
    ...scanDefaults,
    name: 'getInjectionScanSummary',
    path: '/admin/screen',
    summary: 'Get injection scan summary',
    description:
      'Each document is scanned for prompt injection at ingestion. Findings are marked for language models but not hidden from search, because a page about such attacks matches too. Sources without findings are omitted.',
    reply: z.array(ScreenedSource),
    services: ['db'],
    handle: ({ services: { db } }) => countWarningsBySource(db),
  }),
  route({
    ...scanDefaults,
    name: 'listInjectionScanWarnings',
    path: '/admin/screen/documents',
    summary: 'List injection scan warnings',
    query: z.object({
      source: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })),
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
      after: nullish(wireString({ max: 2_000, pattern: WITHOUT_NUL })).describe(
        'Only documents whose id sorts after this one, in byte order.',
      ),
    }),
    reply: z.array(WarnedDocumentSnapshot),
    services: ['db'],
    handle: async ({ query: { source, after, limit }, services: { db } }) =>
      (await listWarnedDocuments(db, { source, after, limit: limit ?? DEFAULT_LIMIT })).map(warnedDocumentSnapshot),
  }),
]

function warnedDocumentSnapshot({ sections, ...document }: WarnedDocument): z.infer<typeof WarnedDocumentSnapshot> {
  const texts = [document.semantic_identifier, ...sections.map(({ heading, text }) => `${heading ?? ''}\n${text}`)]
  const finding = document.warnings.includes('instructions')
    ? findInjection(texts.join('\n\n').slice(0, MAX_SCANNED_LENGTH))
    : null
  return { ...document, kind: finding?.kind ?? null, excerpt: finding?.excerpt ?? null }
}
