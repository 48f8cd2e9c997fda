import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { formatCount, sourceLabel } from '../parts/text.tsx'
import { type FacetGroup, facetGroups, timeCounts } from './facets.ts'
import { isFiltered, LISTS, type ListName, type SearchState, SINCE, type Since, toggled } from './search-state.ts'
import type { Found } from './use-results.ts'

const TITLES: Record<ListName, string> = { source: 'Source', author: 'Author', set: 'Document set', tag: 'Tag' }
const SHOWN = 6

interface Props {
  state: SearchState
  found: Found | undefined
  onChange: (state: SearchState) => void
}

export function FacetPanel({ state, found, onChange }: Props) {
  const clear = () => {
    const { since: _, page: __, ...rest } = state
    for (const name of LISTS) delete rest[name]
    onChange(rest)
  }
  return (
    <div className="facets">
      <TimeFacet state={state} found={found} onChange={onChange} />
      {facetGroups(found, state).map((group) => (
        <Facet
          key={group.name}
          group={group}
          chosen={state[group.name] ?? []}
          onToggle={(value) => onChange(toggled(state, group.name, value))}
        />
      ))}
      {isFiltered(state) && (
        <Button variant="default" size="xs" onClick={clear}>
          Clear all filters
        </Button>
      )}
    </div>
  )
}

function TimeFacet({ state, found, onChange }: Props) {
  const counts = timeCounts(found)
  const { since, page: _, doc: __, ...rest } = state
  return (
    <fieldset className="facet">
      <legend>Updated</legend>
      {([undefined, ...Object.keys(SINCE)] as (Since | undefined)[]).map((it) => (
        <label className="facet-choice" key={it ?? 'any'}>
          <input
            type="radio"
            name="since"
            checked={since === it}
            onChange={() => onChange(it === undefined ? rest : { ...rest, since: it })}
          />
          <span className="facet-value">{it === undefined ? 'Any time' : SINCE[it]}</span>
          {it !== undefined && counts.has(it) && (
            <span className="facet-count">{formatCount(counts.get(it) ?? 0)}</span>
          )}
        </label>
      ))}
    </fieldset>
  )
}

interface FacetProps {
  group: FacetGroup
  chosen: readonly string[]
  onToggle: (value: string) => void
}

function Facet({ group: { name, values, isLowerBound }, chosen, onToggle }: FacetProps) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? values : values.slice(0, Math.max(SHOWN, chosen.length))
  return (
    <fieldset className="facet">
      <legend>{TITLES[name]}</legend>
      {shown.map(({ value, count }) => (
        <div className="facet-choice" key={value}>
          <Checkbox
            size="xs"
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
            label={name === 'source' ? sourceLabel(value) : value}
            className="facet-value"
          />
          {count !== undefined && (
            <span className="facet-count">
              {formatCount(count)}
              {isLowerBound && '+'}
            </span>
          )}
        </div>
      ))}
      {values.length > shown.length && (
        <Button variant="subtle" size="compact-xs" onClick={() => setOpen(true)}>
          {values.length - shown.length} more
        </Button>
      )}
    </fieldset>
  )
}
