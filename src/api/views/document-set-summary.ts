// A document set in the form of the API, on its own and as part of a persona.
import { z } from 'zod'
import { groupIdsToWire } from '../../domain/connector.ts'
import { isWritablePair, type WritablePairs } from '../../store/documents/scope.ts'
import type { DocumentSet } from '../../store/sources/document-sets.ts'

export const DocumentSetSummary = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    cc_pair_summaries: z.array(
      z.object({ id: z.int(), name: z.string(), source: z.string(), access_type: z.string() }),
    ),
    is_up_to_date: z.boolean().describe('Always true: the pairs of a set are looked up at search time.'),
    is_public: z.boolean(),
    users: z.array(z.string()),
    groups: z.array(z.union([z.int(), z.string()])),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean(), publish: z.boolean() }),
    federated_connector_summaries: z.array(z.unknown()).describe('Always empty.'),
    version: z.string().describe('Changes with the set: the `expected_version` of an update.'),
  })
  .meta({ id: 'DocumentSetSummary' })

/** Omits pairs to which the reader has no access. */
export const documentSetSummary = (
  set: DocumentSet,
  { pairs, isEditable }: { pairs: WritablePairs; isEditable: boolean },
): z.infer<typeof DocumentSetSummary> => ({
  id: set.id,
  name: set.name,
  description: set.description,
  cc_pair_summaries: set.cc_pairs.filter((it) => isWritablePair(pairs, it.id)),
  is_up_to_date: true,
  is_public: set.is_public,
  users: isEditable ? set.users : [],
  groups: isEditable ? groupIdsToWire(set.groups) : [],
  permissions: { edit: isEditable, delete: isEditable, publish: isEditable },
  federated_connector_summaries: [],
  version: set.version,
})
