// Lists unsaved changes, and those that another person saved meanwhile.
import { Alert, Button } from '@mantine/core'
import { AdminLink } from '../../admin/admin-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { DifferenceList } from './difference-list.tsx'
import { changeCount, type Ranking, useSaveRanking } from './ranking-query.ts'

export function SaveBar({ ranking }: { ranking: Ranking }) {
  const t = textsOf('admin.ranking.save')
  const { difference, names } = ranking
  const saving = useSaveRanking(ranking)
  const count = changeCount(difference)
  return (
    <div className="ranking-save">
      {saving.error !== null && <ErrorAlert error={saving.error} />}
      {saving.theirs !== null && (
        <Alert color="yellow" variant="light" role="alert" icon={<Icon name="alert" />} title={t('conflict')}>
          <p>{count === 0 ? t('conflict_same') : t('conflict_help')}</p>
          <DifferenceList difference={saving.theirs} names={names} />
        </Alert>
      )}
      {count > 0 && (
        <section className="card" aria-label={t('label')}>
          <div className="ranking-save-head">
            <strong role="status">{t('unsaved', { count })}</strong>
            <div className="row">
              <AdminLink page="relevance">{t('replay')}</AdminLink>
              <Button variant="default" size="sm" onClick={saving.discard}>
                {t('discard')}
              </Button>
              <Button size="sm" loading={saving.isSaving} onClick={saving.save}>
                {saving.theirs === null ? textsOf('parts')('save') : t('save_both')}
              </Button>
            </div>
          </div>
          <details open={saving.theirs !== null}>
            <summary>{t('show')}</summary>
            <DifferenceList difference={difference} names={names} />
          </details>
        </section>
      )}
    </div>
  )
}
