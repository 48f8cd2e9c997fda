// The values of the form of a document set.
import type { DocumentSetSummary, UserAddress } from '../../../../src/client/schemas.ts'
import type { Readers } from '../../parts/share-fields.tsx'

export interface SetValues {
  name: string
  description: string
  cc_pair_ids: readonly number[]
  is_public: boolean
  readers: Readers
}
export type SetField = keyof SetValues

export const NEW_SET: SetValues = {
  name: '',
  description: '',
  cc_pair_ids: [],
  is_public: true,
  readers: { people: [], groups: [] },
}

/** A person whose address is not known, such as a key that acts for nobody, is shown by the id. */
export const valuesOf = (set: DocumentSetSummary, addresses: readonly UserAddress[]): SetValues => ({
  name: set.name,
  description: set.description,
  cc_pair_ids: set.cc_pair_summaries.map((it) => it.id),
  is_public: set.is_public,
  readers: {
    people: set.users.map((id) => addresses.find((it) => it.id === id) ?? { id, email: id }),
    groups: set.groups.map(String),
  },
})

const FIELDS: readonly SetField[] = ['name', 'description', 'cc_pair_ids', 'is_public', 'readers']

export const changedFields = (before: SetValues, after: SetValues): SetField[] =>
  FIELDS.filter((it) => JSON.stringify(before[it]) !== JSON.stringify(after[it]))

/** Keeps my changes, and takes theirs where I changed nothing. */
export function mergeChanges(base: SetValues, mine: SetValues, theirs: SetValues): SetValues {
  const ours = changedFields(base, mine)
  return { ...theirs, ...Object.fromEntries(ours.map((it) => [it, mine[it]])) }
}
