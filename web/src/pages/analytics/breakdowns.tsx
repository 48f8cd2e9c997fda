// Searches by source of the results, and by group of the person who searched.
import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { QueryReport, ReportedGroup, ReportedSource } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { ExportLink } from './export-link.tsx'
import type { Period } from './report-query.ts'

interface Props {
  report: QueryReport
  days: Period
}

export const Breakdowns = (props: Props) => (
  <>
    <Sources {...props} />
    <Groups {...props} />
  </>
)

function Sources({ report: { sources, searches }, days }: Props) {
  const t = textsOf('admin.analytics.sources')
  return (
    <section className="card" aria-labelledby="sources">
      <div className="section-head">
        <h2 id="sources">{t('title')}</h2>
        <ExportLink days={days} list="sources" title={t('title')} />
      </div>
      <p className="section-note dimmed small">{t('help')}</p>
      {sources.length === 0 ? (
        <p className="section-note">{t('none')}</p>
      ) : (
        <RecordTable
          label={t('title')}
          rows={sources}
          keyOf={(it) => it.source}
          columns={[
            { label: t('source'), className: 'long-text', cell: (it) => <bdi>{sourceLabel(it.source)}</bdi> },
            { label: t('shown'), className: 'number', cell: (it) => <Share count={it.shown} total={searches} /> },
            { label: t('answered'), className: 'number', cell: (it) => <Share count={it.answered} total={it.shown} /> },
          ]}
          action={(it) => <BoostSource source={it} />}
        />
      )}
    </section>
  )
}

const Share = ({ count, total }: { count: number; total: number }) => (
  <span className="nowrap">
    {textsOf('admin.analytics.figures')('share', { count, share: total === 0 ? 0 : count / total })}
  </span>
)

function BoostSource({ source: { source } }: { source: ReportedSource }) {
  const t = textsOf('admin.analytics')
  const navigate = useNavigate()
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={t('queries.actions_of.boost', { query: sourceLabel(source) })}
      onClick={() =>
        void navigate({
          to: '/admin/$page/{-$id}',
          params: { page: 'ranking', id: undefined },
          search: { add: 'boost', source },
        })
      }
    >
      {t('queries.actions.boost')}
    </Button>
  )
}

function Groups({ report: { groups, withheld_groups, withheld }, days }: Props) {
  const t = textsOf('admin.analytics.groups')
  const count = (name: 'people' | 'searches' | 'answered' | 'empty' | 'slow') => ({
    label: t(name),
    className: 'number',
    cell: (it: ReportedGroup) => formatCount(it[name]),
  })
  return (
    <section className="card" aria-labelledby="groups">
      <div className="section-head">
        <h2 id="groups">{t('title')}</h2>
        <ExportLink days={days} list="groups" title={t('title')} />
      </div>
      <p className="section-note dimmed small">{t('help')}</p>
      {groups.length === 0 ? (
        <p className="section-note">{t('none')}</p>
      ) : (
        <RecordTable
          label={t('title')}
          rows={groups}
          keyOf={(it) => it.group ?? ''}
          columns={[
            { label: t('group'), className: 'long-text', cell: (it) => <GroupName group={it.group} /> },
            ...[count('people'), count('searches'), count('answered'), count('empty'), count('slow')],
          ]}
        />
      )}
      {withheld_groups > 0 && withheld.min_people !== null && (
        <p className="section-note small dimmed">
          {t('withheld', { count: withheld_groups, people: withheld.min_people })}
        </p>
      )}
    </section>
  )
}

const GroupName = ({ group }: { group: string | null }) =>
  group === null ? <span className="dimmed">{textsOf('admin.analytics.groups')('no_group')}</span> : <bdi>{group}</bdi>
