import { z } from 'zod'
import type { DocumentSection } from '../../../domain/document.ts'
import { placeLink } from '../../../domain/originals/place-link.ts'
import { displayLink } from '../../../domain/values/display-text.ts'
import { getAccess } from '../../../identity/access.ts'
import { getDocumentWithSections } from '../../../store/documents/text.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const MAX_HEADINGS = 500
const MAX_HEADING = 300
const MAX_SECTION = 20_000
const MAX_SECTION_NUMBER = 1_000_000

const DocumentOutline = z
  .object({
    document_id: z.string(),
    headings: z
      .array(z.object({ section: z.int(), heading: z.string() }))
      .describe(
        `The first ${MAX_HEADINGS} headings, shortened to ${MAX_HEADING} characters, in the order of the document.`,
      ),
    has_more: z.boolean().describe('The document has more headings.'),
    section: z
      .object({
        heading: z.string().nullable(),
        text: z.string().describe(`At most ${MAX_SECTION} characters.`),
        link: z.string().nullable(),
        is_shortened: z.boolean(),
      })
      .nullable()
      .describe('The requested section. Null if none was requested, or the document has become shorter.'),
  })
  .meta({ id: 'DocumentOutline' })

export const outlineRoutes = [
  route({
    name: 'getDocumentOutline',
    method: 'GET',
    path: '/search/outline',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Get outline of a document',
    description:
      'Returns the headings of a document that the key may read, and one of its sections if `section` is sent.',
    query: z.object({
      document_id: wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL }),
      section: nullish(wireInteger({ min: 0, max: MAX_SECTION_NUMBER })),
    }),
    reply: DocumentOutline,
    errors: ['DOCUMENT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ query: { document_id, section }, subject, services: { db } }) => {
      const { id, sections, link } = await getDocumentWithSections(db, await getAccess(db, subject), document_id)
      const headings = outlineOf(sections)
      const requested = section === null ? undefined : sections[section]
      return {
        document_id,
        headings: headings.slice(0, MAX_HEADINGS),
        has_more: headings.length > MAX_HEADINGS,
        section: section === null || requested === undefined ? null : sectionView(requested, { id, link, section }),
      }
    },
  }),
]

const outlineOf = (sections: readonly DocumentSection[]): { section: number; heading: string }[] =>
  sections.flatMap(({ heading }, section) => {
    const text = heading?.trim() ?? ''
    return text === '' ? [] : [{ section, heading: text.slice(0, MAX_HEADING).toWellFormed() }]
  })

const sectionView = (
  { heading, text, link }: DocumentSection,
  { section, ...document }: { id: string; link: string | null; section: number },
) => ({
  heading,
  text: text.slice(0, MAX_SECTION).toWellFormed(),
  link: displayLink(placeLink({ document, link, at: { section } }, '')),
  is_shortened: text.length > MAX_SECTION,
})
