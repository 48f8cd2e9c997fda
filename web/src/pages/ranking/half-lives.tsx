// How much the age of a document counts: for all sources, and for single ones.
import { Button } from '@mantine/core'
import { type FormEvent, useId, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { DaysField } from './days-field.tsx'
import type { SourceHalfLife } from './draft.ts'
import type { Ranking } from './ranking-query.ts'
import { SettingList } from './setting-list.tsx'
import { SourceField } from './source-field.tsx'

const DEFAULT_DAYS = 180

export function HalfLives({ ranking }: { ranking: Ranking }) {
  const t = textsOf('admin.ranking.age')
  const id = useId()
  const [isAdding, setIsAdding] = useState(false)
  const days = ranking.values?.half_life_days ?? null
  const ofSources = ranking.values?.source_half_life_days ?? []
  const setSource = (changed: SourceHalfLife) =>
    ranking.change({ source_half_life_days: [...ofSources.filter((it) => it.source !== changed.source), changed] })
  const columns = [
    { label: textsOf('admin.ranking')('source'), cell: (it: SourceHalfLife) => <bdi>{sourceLabel(it.source)}</bdi> },
    {
      label: t('half_life'),
      cell: (it: SourceHalfLife) => (
        <DaysField
          label={t('days_of', { source: sourceLabel(it.source) })}
          isLabelHidden
          days={it.days}
          onChange={(changed) =>
            changed !== null &&
            ranking.change({
              source_half_life_days: ofSources.map((own) =>
                own.source === it.source ? { ...own, days: changed } : own,
              ),
            })
          }
        />
      ),
    },
  ]
  return (
    <>
      <section className="card card-pad stack" aria-labelledby={id}>
        <h2 id={id}>{t('title')}</h2>
        <DaysField
          label={t('all')}
          description={t('all_help')}
          days={days}
          isOptional
          onChange={(half_life_days) => ranking.change({ half_life_days })}
        />
        <p className="small dimmed" role="status">
          {days === null ? t('off') : t('effect', { days, twice: days * 2 })}
        </p>
        {days !== null && (
          <div className="row">
            <Button size="xs" variant="default" onClick={() => ranking.change({ half_life_days: null })}>
              {t('switch_off')}
            </Button>
          </div>
        )}
      </section>
      <SettingList
        title={t('sources')}
        help={t('sources_help')}
        add={t('add')}
        none={t('none')}
        rows={ofSources}
        columns={columns}
        keyOf={(it) => it.source}
        nameOf={(it) => sourceLabel(it.source)}
        onAdd={() => setIsAdding(true)}
        onRemove={({ source }) =>
          ranking.change({ source_half_life_days: ofSources.filter((it) => it.source !== source) })
        }
      />
      {isAdding && <HalfLifeForm onAdd={setSource} onClose={() => setIsAdding(false)} />}
    </>
  )
}

function HalfLifeForm({ onAdd, onClose }: { onAdd: (it: SourceHalfLife) => void; onClose: () => void }) {
  const t = textsOf('admin.ranking.age')
  const [source, setSource] = useState('')
  const [days, setDays] = useState<number>(DEFAULT_DAYS)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAdd({ source: source.trim(), days })
    onClose()
  }
  return (
    <Dialog title={t('add')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <SourceField value={source} onChange={setSource} />
        <DaysField label={t('days_label')} days={days} onChange={(it) => it !== null && setDays(it)} />
        <FormButtons isReady={source.trim() !== ''} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** The change is only in the draft until it is saved, so the button does not say "Save". */
export const FormButtons = ({ isReady, onClose }: { isReady: boolean; onClose: () => void }) => (
  <div className="dialog-buttons">
    <Button variant="default" onClick={onClose}>
      {textsOf('parts')('cancel')}
    </Button>
    <Button type="submit" disabled={!isReady}>
      {textsOf('admin.ranking.list')('apply')}
    </Button>
  </div>
)
