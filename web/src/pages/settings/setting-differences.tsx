import { DifferenceTable } from '../../parts/difference-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { type SettingDifference, wordsOf } from './setting-values.ts'

interface Props {
  label: string
  beforeLabel: string
  afterLabel: string
  differences: readonly SettingDifference[]
}

export function SettingDifferences({ differences, ...labels }: Props) {
  const t = textsOf('admin.settings')
  const rows = differences.map(({ name, before, after }) => ({
    ...{ name, label: t(`fields.${name}.label`) },
    ...{ before: wordsOf(name, before), after: wordsOf(name, after) },
  }))
  return <DifferenceTable {...labels} fieldLabel={t('setting')} rows={rows} />
}
