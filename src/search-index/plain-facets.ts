// The counts of one facet, by looking at every document that it counts.
import type { FacetRequest } from '../domain/query.ts'
import type { Facet, IndexDocument } from './search-index.ts'

export function facetOf(facet: FacetRequest, documents: readonly IndexDocument[]): Facet {
  const count_relation = 'eq'
  switch (facet.field) {
    case 'source_type':
      return { field: facet.field, values: most(documents, facet.size, (it) => [it.source_type]), count_relation }
    case 'author':
      return {
        field: facet.field,
        values: most(documents, facet.size, (it) => it.authors.map((own) => own.name)),
        count_relation,
      }
    case 'cc_pair':
      return { field: facet.field, values: most(documents, facet.size, (it) => it.cc_pair_ids), count_relation }
    case 'tag':
      return { field: facet.field, values: most(documents, facet.size, (it) => it.tags), count_relation }
    case 'time':
      return { field: facet.field, values: spans(documents, facet.spans), count_relation }
  }
}

function most<Value>(
  documents: readonly IndexDocument[],
  size: number,
  valuesOf: (it: IndexDocument) => readonly Value[],
) {
  const counts = new Map<string, { value: Value; count: number }>()
  for (const document of documents) {
    const own = new Map(valuesOf(document).map((it) => [textOf(it), it]))
    for (const [text, value] of own) counts.set(text, { value, count: (counts.get(text)?.count ?? 0) + 1 })
  }
  return [...counts]
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .slice(0, size)
    .map(([, it]) => it)
}

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(Object.values(value as object)) : String(value)

const spans = (documents: readonly IndexDocument[], asked: Extract<FacetRequest, { field: 'time' }>['spans']) =>
  asked.map(({ value, from = -Infinity, until = Infinity }) => {
    const isInside = ({ updated_at }: IndexDocument) => updated_at !== null && updated_at >= from && updated_at <= until
    return { value, count: documents.filter(isInside).length }
  })
