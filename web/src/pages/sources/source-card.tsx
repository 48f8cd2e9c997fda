// One kind of source with its connectors.
import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { BasicCCPairInfo } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import type { SourceTag } from './tags-by-source.ts'

interface Props {
  source: string
  pairs: readonly BasicCCPairInfo[]
  tags: readonly SourceTag[]
}

export function SourceCard({ source, pairs, tags }: Props) {
  const t = textsOf('source_list')
  const label = sourceLabel(source)
  const id = `source-${source}`
  return (
    <section className="card source-card" aria-labelledby={id}>
      <div className="source-card-head">
        <SourceIcon source={source} />
        <h2 id={id}>
          <bdi>{label}</bdi>
        </h2>
        {source !== 'ingestion_api' && (
          <Link to="/" search={{ q: `source:${quoted(source)}` }} className="source-search">
            <Icon name="search" size={16} />
            {t('search_in', { source: label })}
          </Link>
        )}
      </div>
      {tags.length > 0 && <Tags source={source} tags={tags} />}
      <ul className="source-pairs">
        {pairs.map((it) => (
          <Pair key={it.cc_pair_id} pair={it} />
        ))}
      </ul>
    </section>
  )
}

/** Operators end at a space, unless their value is in quotes. */
const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

function Tags({ source, tags }: Pick<Props, 'source' | 'tags'>) {
  const t = textsOf('source_list')
  return (
    <ul className="source-tags" aria-label={t('tags')}>
      {tags.map(({ tag_key, tag_value }) => {
        const tag = `${tag_key}=${tag_value}`
        return (
          <li key={tag}>
            <Link to="/" search={{ q: `source:${quoted(source)}`, tag: [tag] }} className="source-tag">
              <span className="dimmed">
                <bdi>{tag_key}</bdi>
              </span>{' '}
              <bdi>{tag_value}</bdi>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

const COLORS: Record<BasicCCPairInfo['freshness'], string> = {
  up_to_date: 'green',
  reading: 'blue',
  not_read_yet: 'gray',
  failing: 'yellow',
  paused: 'gray',
  pushed: 'gray',
}

function Pair({ pair }: { pair: BasicCCPairInfo }) {
  const t = textsOf('source_list')
  const { cc_pair_id: id, name, documents, freshness } = pair
  return (
    <li>
      <div className="row">
        <h3 className="source-pair-name">
          <PairName pair={{ id, name }} />
        </h3>
        <Badge color={COLORS[freshness]} variant="light" tt="none">
          {t(`freshness.${freshness}`)}
        </Badge>
      </div>
      <p className="small">{t('documents', { count: documents })}</p>
      <dl className="source-facts small">
        {factsOf(pair).map(([fact, value]) => (
          <div key={fact}>
            <dt>{t(fact)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

/** A link for people who manage it. */
function PairName({ pair }: { pair: { id: number; name: string } }) {
  const isManager = hasPermission(useMe(), 'manage:connectors')
  const label = <bdi>{pairLabel(pair)}</bdi>
  if (!isManager) return label
  return (
    <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(pair.id) }}>
      {label}
    </Link>
  )
}

type Fact = 'last_success' | 'last_document' | 'next_run' | 'looked_after_by'

function factsOf({ freshness, last_success, next_run_at, looked_after_by }: BasicCCPairInfo): [Fact, ReactNode][] {
  const t = textsOf('source_list')
  const isPushed = freshness === 'pushed'
  const facts: [Fact, ReactNode][] = [
    [isPushed ? 'last_document' : 'last_success', <Time key="last" at={last_success} none={t('never')} />],
  ]
  if (next_run_at !== null) facts.push(['next_run', <Time key="next" at={next_run_at} />])
  facts.push(['looked_after_by', <Keeper key="keeper" keeper={looked_after_by} />])
  return facts
}

function Keeper({ keeper }: { keeper: BasicCCPairInfo['looked_after_by'] }) {
  const t = textsOf('source_list')
  if (keeper === null) return t('administrators')
  return (
    <a href={`mailto:${encodeURIComponent(keeper.email)}`} title={keeper.email}>
      <bdi>{keeper.name ?? keeper.email}</bdi>
    </a>
  )
}
