// Counts a facet by looking at every matching document.
import type { FacetRequest, Tag } from '../../domain/search/query.ts'
import type { Facet, IndexDocument } from '../search-index.ts'

export function countPlainFacet(facet: FacetRequest, documents: readonly IndexDocument[]): Facet {
  const count_relation = 'eq'
  switch (facet.field) {
    case 'source_type':
      return {
        field: facet.field,
        values: countValues(documents, facet.size, (it) => [it.source_type]),
        count_relation,
      }
    case 'author':
      return {
        field: facet.field,
        values: countValues(documents, facet.size, (it) => it.authors.map((own) => own.name)),
        count_relation,
      }
    case 'cc_pair':
      return { field: facet.field, values: countValues(documents, facet.size, (it) => it.cc_pair_ids), count_relation }
    case 'tag':
      return { field: facet.field, values: countValues(documents, facet.size, (it) => it.tags), count_relation }
    case 'time':
      return { field: facet.field, values: countTimeSpans(documents, facet.spans), count_relation }
  }
}

function countValues<Value extends string | number | Tag>(
  documents: readonly IndexDocument[],
  size: number,
  valuesOfDocument: (it: IndexDocument) => readonly Value[],
) {
  const counts = new Map<string, { value: Value; count: number }>()
  for (const document of documents) {
    const own = new Map(valuesOfDocument(document).map((it) => [valueKey(it), it]))
    for (const [text, value] of own) counts.set(text, { value, count: (counts.get(text)?.count ?? 0) + 1 })
  }
  return [...counts]
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .slice(0, size)
    .map(([, it]) => it)
}

const valueKey = (value: string | number | Tag): string =>
  typeof value === 'object' ? JSON.stringify(Object.values(value)) : String(value)

const countTimeSpans = (
  documents: readonly IndexDocument[],
  requestedSpans: Extract<FacetRequest, { field: 'time' }>['spans'],
) =>
  requestedSpans.map(({ value, from = -Infinity, until = Infinity }) => {
    const isInside = ({ updated_at }: IndexDocument) => updated_at !== null && updated_at >= from && updated_at <= until
    return { value, count: documents.filter(isInside).length }
  })
