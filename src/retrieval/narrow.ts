// What was typed and what was chosen beside it, as one question to the index.
import type { Filters } from '../domain/query.ts'
import type { Asked } from './candidates.ts'
import type { Understanding } from './parse.ts'

/** `ofSets` are the pairs of the sets that were typed; absent where none was. */
export function narrowed(
  understanding: Understanding,
  { access, filters }: Pick<Asked, 'access' | 'filters'>,
  ofSets: readonly number[] | undefined,
): Asked {
  const { text, phrases, excluded, title } = understanding
  return {
    text,
    access,
    filters: filtersOf(understanding, filters, ofSets),
    ...(phrases.length > 0 && { phrases }),
    ...(excluded.length > 0 && { excluded }),
    ...(title.length > 0 && { titleWords: title }),
  }
}

/** Both must hold. Of tags and authors one is enough, wherever it was named: a list is an OR for the index. */
function filtersOf(typed: Understanding, chosen: Filters, ofSets: readonly number[] | undefined): Filters {
  const { source_types, cc_pair_ids, tags, authors, updated_from, updated_until, ...others } = chosen
  const sources =
    typed.sources.length > 0 ? [...new Set(typed.sources.flatMap((it) => [it, it.toLowerCase()]))] : undefined
  return {
    ...others,
    ...maybe('source_types', both(source_types, sources)),
    ...maybe('cc_pair_ids', both(cc_pair_ids, ofSets)),
    ...maybe('tags', either(tags, typed.tags)),
    ...maybe('authors', either(authors, typed.authors)),
    ...maybe('updated_from', latest(updated_from, typed.updated_from)),
    ...maybe('updated_until', earliest(updated_until, typed.updated_until)),
  }
}

const maybe = <Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } =>
  value === undefined ? {} : ({ [key]: value } as { [key in Key]: Value })

const both = <T>(one: readonly T[] | undefined, other: readonly T[] | undefined): readonly T[] | undefined =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((it) => other.includes(it))

const either = <T>(chosen: readonly T[] | undefined, typed: readonly T[]): readonly T[] | undefined =>
  typed.length === 0 ? chosen : [...(chosen ?? []), ...typed]

const latest = (one: number | undefined, other: number | null): number | undefined =>
  one === undefined || other === null ? (one ?? other ?? undefined) : Math.max(one, other)

const earliest = (one: number | undefined, other: number | null): number | undefined =>
  one === undefined || other === null ? (one ?? other ?? undefined) : Math.min(one, other)
