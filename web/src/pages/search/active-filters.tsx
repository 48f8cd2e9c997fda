// Everything that limits the results: filters that were chosen and operators that were typed. Each can be removed.
import { CloseButton } from '@mantine/core'
import { exactDate, sourceLabel } from '../../parts/text.tsx'
import { language } from '../../text/language.ts'
import { textsOf } from '../../text/texts.ts'
import { LIST_FACETS, type ListFacet, type SearchState, toggleFacet, withDay, withSince } from './search-state.ts'
import type { SearchResults } from './use-results.ts'

type Operator = SearchResults['understood']['operators'][number]

interface Chip {
  key: string
  label: string
  remove: () => void
}

interface Props {
  state: SearchState
  /** The query that the operators are from. */
  query: string
  operators: readonly Operator[]
  onState: (state: SearchState) => void
  onText: (text: string) => void
}

export function ActiveFilters(props: Props) {
  const t = textsOf('search.active')
  const chips = [...typedChips(props), ...chosenChips(props)]
  if (chips.length === 0) return null
  return (
    <ul className="chips" aria-label={t('label')}>
      {chips.map(({ key, label, remove }) => (
        <li key={key} className="chip">
          <bdi>{label}</bdi>
          <CloseButton size={24} iconSize={14} aria-label={t('remove', { filter: label })} onClick={remove} />
        </li>
      ))}
    </ul>
  )
}

function typedChips({ query, operators, onText }: Props): Chip[] {
  return operators.map((it) => ({
    key: `${it.start} ${it.kind}`,
    label: operatorLabel(it),
    remove: () => onText(withoutOperators(query, [it])),
  }))
}

/** Leaves one space between the words around each of them. They are in their order.
 * The service was sent the query without spaces around it. */
export const withoutOperators = (query: string, operators: readonly Operator[]): string =>
  operators
    .reduceRight(
      (text, { start, end }) => `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`,
      query.trim(),
    )
    .trim()

const conjunction = new Intl.ListFormat(language, { type: 'conjunction' })

/** The operators as a part of a sentence. */
export const operatorLabels = (operators: readonly Operator[]): string =>
  conjunction.format(operators.map(operatorLabel))

function operatorLabel({ kind, value }: Operator): string {
  const t = textsOf('search.active')
  if (kind === 'source') return t('source', { value: sourceLabel(value) })
  return kind === 'tag' ? tagLabel(value) : t(kind, { value })
}

function chosenChips({ state, onState }: Props): Chip[] {
  const t = textsOf('search.active')
  const chips = LIST_FACETS.flatMap((name) =>
    (state[name] ?? []).map((value) => ({
      key: `${name} ${value}`,
      label: facetLabel(name, value),
      remove: () => onState(toggleFacet(state, name, value)),
    })),
  )
  for (const name of ['from', 'until'] as const) {
    const day = state[name]
    const remove = () => onState(withDay(state, name, null))
    if (day !== undefined) chips.push({ key: name, label: t(name, { day: exactDate(day) }), remove })
  }
  const { since } = state
  if (since !== undefined)
    chips.push({
      key: 'since',
      label: textsOf('search.filters')(since),
      remove: () => onState(withSince(state, null)),
    })
  const { exact, ...corrected } = state
  if (exact) chips.push({ key: 'exact', label: t('exact'), remove: () => onState(corrected) })
  return chips
}

function facetLabel(name: ListFacet, value: string): string {
  const t = textsOf('search.active')
  if (name === 'tag') return tagLabel(value)
  return t(name, { value: name === 'source' ? sourceLabel(value) : value })
}

/** `key=value` */
function tagLabel(tag: string): string {
  const at = tag.indexOf('=')
  const values = { key: sourceLabel(tag.slice(0, Math.max(at, 0))), value: tag.slice(at + 1) }
  return textsOf('search.active')('tag', values)
}
