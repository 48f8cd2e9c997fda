// Shows the settings that a change replaces, before and after.
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { type SettingDifference, wordsOf } from './setting-values.ts'

interface Props {
  label: string
  beforeLabel: string
  afterLabel: string
  differences: readonly SettingDifference[]
}

export function SettingDifferences({ label, beforeLabel, afterLabel, differences }: Props) {
  const t = textsOf('admin.settings')
  return (
    <RecordTable
      label={label}
      rows={differences}
      keyOf={(it) => it.name}
      columns={[
        { label: t('setting'), cell: (it) => t(`fields.${it.name}.label`) },
        {
          label: beforeLabel,
          className: 'long-text',
          cell: (it) => <Value words={wordsOf(it.name, it.before)} is="before" />,
        },
        {
          label: afterLabel,
          className: 'long-text',
          cell: (it) => <Value words={wordsOf(it.name, it.after)} is="after" />,
        },
      ]}
    />
  )
}

function Value({ words, is }: { words: string; is: 'before' | 'after' }) {
  if (words === '') return <span className="dimmed">{textsOf('admin.settings')('nothing')}</span>
  return is === 'before' ? <del dir="auto">{words}</del> : <ins dir="auto">{words}</ins>
}
