import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { type FacetGroup, facetGroups, outsideSpans, timeCounts, valueLabel } from './facets.ts'
import {
  isFiltered,
  type SearchState,
  SINCES,
  toggleFacet,
  withDay,
  withoutFilters,
  withSince,
} from './search-state.ts'
import type { SearchResults } from './use-results.ts'

const MAX_SHOWN = 6

interface Props {
  state: SearchState
  found: SearchResults | undefined
  onChange: (state: SearchState) => void
}

export function FacetPanel({ state, found, onChange }: Props) {
  const t = textsOf('search.filters')
  return (
    <div className="facets">
      <TimeFacet state={state} found={found} onChange={onChange} />
      {facetGroups(found, state).map((group) => (
        <Facet
          key={group.name + (group.key ?? '')}
          group={group}
          chosen={state[group.name] ?? []}
          onToggle={(value) => onChange(toggleFacet(state, group.name, value))}
        />
      ))}
      {isFiltered(state) && (
        <Button variant="default" size="xs" onClick={() => onChange(withoutFilters(state))}>
          {t('clear')}
        </Button>
      )}
    </div>
  )
}

function TimeFacet({ state, found, onChange }: Props) {
  const t = textsOf('search.filters')
  const counts = timeCounts(found)
  const { since, from, until } = state
  const isLimited = since !== undefined || from !== undefined || until !== undefined
  const { older, undated } = isLimited ? NO_OUTSIDE_COUNTS : outsideSpans(found)
  return (
    <fieldset className="facet">
      <legend>{t('updated')}</legend>
      {[undefined, ...SINCES].map((it) => (
        <label className="facet-choice" key={it ?? 'any'}>
          <input
            type="radio"
            name="since"
            checked={it === undefined ? !isLimited : since === it}
            onChange={() => onChange(withSince(state, it ?? null))}
          />
          <span className="facet-value">{t(it === undefined ? 'any_time' : it)}</span>
          {it !== undefined && counts.has(it) && (
            <span className="facet-count">{formatCount(counts.get(it) ?? 0)}</span>
          )}
        </label>
      ))}
      <OutsideCount label={t('older')} count={older} />
      <OutsideCount label={t('undated')} count={undated} />
      <DayField name="from" state={state} onChange={onChange} />
      <DayField name="until" state={state} onChange={onChange} />
    </fieldset>
  )
}

/** The first or the last day of a range. */
function DayField({ name, state, onChange }: Omit<Props, 'found'> & { name: 'from' | 'until' }) {
  const { from, until } = state
  return (
    <label className="facet-choice facet-day">
      <span>{textsOf('search.filters')(name)}</span>
      <input
        type="date"
        value={state[name] ?? ''}
        max={name === 'from' ? until : undefined}
        min={name === 'until' ? from : undefined}
        onChange={(event) => onChange(withDay(state, name, event.currentTarget.value || null))}
      />
    </label>
  )
}

const NO_OUTSIDE_COUNTS = { older: 0, undated: 0 }

const OutsideCount = ({ label, count }: { label: string; count: number }) =>
  count === 0 ? null : (
    <div className="facet-choice dimmed">
      <span className="facet-value">{label}</span>
      <span className="facet-count">{formatCount(count)}</span>
    </div>
  )

const SourceName = ({ source }: { source: string }) => (
  <span className="facet-source">
    <SourceIcon source={source} size={18} />
    <bdi>{sourceLabel(source)}</bdi>
  </span>
)

interface FacetProps {
  group: FacetGroup
  chosen: readonly string[]
  onToggle: (value: string) => void
}

function Facet({ group, chosen, onToggle }: FacetProps) {
  const t = textsOf('search.filters')
  const { name, key, values, isLowerBound } = group
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? values : values.slice(0, Math.max(MAX_SHOWN, chosen.length))
  return (
    <fieldset className="facet">
      <legend>{(key !== undefined && sourceLabel(key)) || t(name)}</legend>
      {shown.map(({ value, count }) => (
        <div className="facet-choice" key={value}>
          <Checkbox
            size="xs"
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
            label={name === 'source' ? <SourceName source={value} /> : <bdi>{valueLabel(group, value)}</bdi>}
            className="facet-value"
          />
          {count !== undefined && (
            <span className="facet-count">{isLowerBound ? t('at_least', { count }) : formatCount(count)}</span>
          )}
        </div>
      ))}
      {values.length > shown.length && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setOpen(true)}>
          {t('more', { count: values.length - shown.length })}
        </Button>
      )}
    </fieldset>
  )
}
