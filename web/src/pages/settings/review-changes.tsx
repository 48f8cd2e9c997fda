// Shows the difference before it is saved, and the changes that others saved meanwhile.
import { Alert, Button } from '@mantine/core'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { Retention } from './retention.tsx'
import { SettingDifferences } from './setting-differences.tsx'
import type { SettingDifference, SettingTexts } from './setting-values.ts'

interface Props {
  mine: readonly SettingDifference[]
  theirs: readonly SettingDifference[]
  /** Null if the change deletes nothing. */
  texts: SettingTexts | null
  error: Error | null
  isPending: boolean
  onSave: () => void
  onClose: () => void
}

export function ReviewChanges({ mine, theirs, texts, error, isPending, onSave, onClose }: Props) {
  const t = textsOf('admin.settings')
  return (
    <Dialog title={t('review_title')} isWide onClose={onClose}>
      <div className="stack">
        {theirs.length > 0 && (
          <Alert color="yellow" variant="light" role="alert" icon={<Icon name="alert" />} title={t('conflict_title')}>
            <p>{t('conflict_help')}</p>
            <SettingDifferences
              label={t('their_changes')}
              beforeLabel={t('you_saw')}
              afterLabel={t('they_saved')}
              differences={theirs}
            />
          </Alert>
        )}
        {mine.length === 0 ? (
          <p>{t('same')}</p>
        ) : (
          <SettingDifferences
            label={t('your_changes')}
            beforeLabel={t('now')}
            afterLabel={t('then')}
            differences={mine}
          />
        )}
        {texts !== null && <Retention texts={texts} />}
        {error !== null && <ErrorAlert error={error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('change_more')}
          </Button>
          <Button loading={isPending} disabled={mine.length === 0} onClick={onSave}>
            {theirs.length > 0 ? t('save_anyway') : textsOf('parts')('save')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
