// Says that another person changed meanwhile what a form changes, and shows their changes.
import { Alert } from '@mantine/core'
import { textsOf } from '../text/texts.ts'
import { type DifferenceRow, DifferenceTable } from './difference-table.tsx'
import { Icon } from './icon.tsx'

interface Props {
  /** Nothing is shown without a row. */
  rows: readonly DifferenceRow[]
  title?: string
  help?: string
}

export function TheirChanges({ rows, title, help }: Props) {
  const t = textsOf('parts.overtaken')
  if (rows.length === 0) return null
  return (
    <Alert
      classNames={{ body: 'their-changes' }}
      color="yellow"
      variant="light"
      role="alert"
      icon={<Icon name="alert" />}
      title={title ?? t('title')}
    >
      <p>{help ?? t('help')}</p>
      <DifferenceTable
        label={t('changes')}
        fieldLabel={t('field')}
        beforeLabel={t('you_saw')}
        afterLabel={t('they_saved')}
        rows={rows}
      />
    </Alert>
  )
}

/** The rows whose words differ. */
export const changedRows = (rows: readonly DifferenceRow[]): DifferenceRow[] =>
  rows.filter((it) => it.before !== it.after)
