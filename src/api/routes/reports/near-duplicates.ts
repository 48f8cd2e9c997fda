// Groups of documents that say nearly the same.
import { z } from 'zod'
import { ownerDisplayName } from '../../../domain/document.ts'
import { displayLink, displayTitle } from '../../../domain/values/display-text.ts'
import { type GroupMember, listNearDuplicateGroups } from '../../../store/near-duplicates/report.ts'
import { countUncompared } from '../../../store/near-duplicates/signatures.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25
const MAX_MEMBERS = 20

const NearDuplicate = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    source: z.string(),
    cc_pairs: z.array(z.object({ id: z.int(), name: z.string() })),
    owners: z.array(z.string()).describe('Display names, or email addresses.'),
    updated_at: z.iso
      .datetime()
      .describe('When the document changed in its source; if the source does not tell, when it was accepted.'),
    link: z.string().nullable(),
  })
  .meta({ id: 'NearDuplicate' })

const NearDuplicateGroup = z
  .object({
    group_id: z.int(),
    size: z.int().describe('Documents of the group that are not hidden.'),
    documents: z.array(NearDuplicate).describe(`The latest ${MAX_MEMBERS} changes.`),
  })
  .meta({ id: 'NearDuplicateGroup' })

export const nearDuplicateRoutes = [
  route({
    name: 'listNearDuplicates',
    method: 'GET',
    path: '/admin/near-duplicates',
    access: 'admin',
    tag: 'Ingestion',
    summary: 'List near duplicates',
    description:
      'Groups of documents that say nearly the same, newest groups first. Each is a near duplicate of another one in its group. Hidden documents and documents in the trash do not count.',
    query: z.object({
      limit: nullish(wireInteger({ min: 1, max: MAX_LIMIT })).describe(`Default: ${DEFAULT_LIMIT}.`),
      before: nullish(wireInteger({ min: 1 })).describe('`next_before` of the previous page.'),
      source: nullish(wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })).describe(
        'Only groups with a document of this source.',
      ),
      cc_pair_id: nullish(wireInteger({ min: 1 })).describe('Only groups with a document of this connector.'),
    }),
    reply: z
      .object({
        items: z.array(NearDuplicateGroup),
        next_before: z.int().nullable(),
        waiting: z.int().describe('Documents that wait to be compared in the background.'),
      })
      .meta({ id: 'NearDuplicatePage' }),
    services: ['db'],
    handle: async ({ query: { limit, before, source, cc_pair_id: ccPairId }, services: { db } }) => {
      const size = limit ?? DEFAULT_LIMIT
      const page = { before, limit: size, members: MAX_MEMBERS }
      const groups = await listNearDuplicateGroups(db, { source, ccPairId }, page)
      return {
        items: groups.map((it) => ({ ...it, documents: it.documents.map(toView) })),
        next_before: groups[size - 1]?.group_id ?? null,
        waiting: await countUncompared(db),
      }
    },
  }),
]

const toView = ({ semantic_identifier, owners, updated_at, link, ...it }: GroupMember) => ({
  ...it,
  semantic_identifier: displayTitle(semantic_identifier),
  owners: owners.map(ownerDisplayName),
  updated_at: iso(updated_at),
  link: displayLink(link),
})
