// The settings of the environment, which the operator set at the start. Nobody changes them here.
import { Badge, Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatorSetting } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import type en from '../../text/en.json'
import { textsOf } from '../../text/texts.ts'

type Described = keyof typeof en.admin.settings.operator.names

export function OperatorSettings({ settings }: { settings: readonly OperatorSetting[] }) {
  const t = textsOf('admin.settings.operator')
  const [typed, setTyped] = useState('')
  const [isOnlySet, setIsOnlySet] = useState(true)
  const shown = settings.filter((it) => (!isOnlySet || it.is_set) && matches(it, typed.trim().toLowerCase()))
  return (
    <section className="card" aria-labelledby="operator-settings">
      <div className="section-head">
        <h2 id="operator-settings">{t('title')}</h2>
      </div>
      <div className="section-note stack">
        <p className="dimmed">{t.rich('help', { code: (name) => <code>{name}</code> })}</p>
        <search className="filters settings-operator-filters">
          <TextInput
            label={t('filter')}
            placeholder={t('filter_example')}
            maxLength={100}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Checkbox
            label={t('only_set')}
            checked={isOnlySet}
            onChange={(event) => setIsOnlySet(event.currentTarget.checked)}
          />
        </search>
        {shown.length === 0 && <p role="status">{isOnlySet ? t('no_match_set') : t('no_match')}</p>}
      </div>
      {shown.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={shown}
          keyOf={(it) => it.name}
          columns={[
            { label: t('name'), className: 'long-text', cell: (it) => <Name setting={it} /> },
            { label: t('value'), className: 'long-text', cell: (it) => <Value setting={it} /> },
            { label: t('origin'), cell: (it) => <Origin setting={it} /> },
          ]}
        />
      )}
    </section>
  )
}

const matches = ({ name, value }: OperatorSetting, typed: string): boolean =>
  [name, value ?? '', descriptionOf(name)].some((it) => it.toLowerCase().includes(typed))

/** A newer service may have settings that this page does not know yet. */
const descriptionOf = (name: string): string => {
  const t = textsOf('admin.settings.operator')
  return isDescribed(textsOf('admin.settings.operator.names'), name) ? t(`names.${name}`) : ''
}
const isDescribed = (texts: { has(key: string): boolean }, name: string): name is Described => texts.has(name)

const Name = ({ setting: { name } }: { setting: OperatorSetting }) => (
  <>
    <code>{name}</code>
    <div className="small dimmed">{descriptionOf(name)}</div>
  </>
)

function Value({ setting: { value, is_secret, is_set, default_value } }: { setting: OperatorSetting }) {
  const t = textsOf('admin.settings.operator')
  if (is_secret && is_set) return <span className="dimmed">{t('hidden')}</span>
  if (value !== null) return <code dir="auto">{value}</code>
  return <span className="dimmed">{default_value === null ? t('no_value') : t('computed')}</span>
}

function Origin({ setting: { is_set } }: { setting: OperatorSetting }) {
  const t = textsOf('admin.settings.operator')
  return (
    <Badge color={is_set ? 'blue' : 'gray'} variant="light" tt="none" miw="max-content">
      {is_set ? t('set') : t('default')}
    </Badge>
  )
}
