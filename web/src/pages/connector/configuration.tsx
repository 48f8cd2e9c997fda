// How a connector is set up, and a button to change it.
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { fact } from '../../parts/fact.ts'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { labelOfField, textOfValue } from './config-values.ts'
import { EditConfiguration } from './edit-configuration.tsx'
import { intervalText } from './interval-text.ts'

function accessText({ access_type, groups }: CCPairFullInfo): string {
  const t = textsOf('admin.connector.config')
  if (access_type === 'public') return t('access_public')
  if (access_type === 'sync') return t('access_sync')
  return groups.length === 0 ? t('access_nobody') : t('access_groups', { groups: groups.join(', ') })
}

export function Configuration({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.config')
  const [isEditing, setIsEditing] = useState(false)
  const { connector, credential, creator_email } = pair
  const isPulled = pair.pull.state !== 'pushed'
  const facts: [string, string][] = [
    [t('access'), accessText(pair)],
    [
      t('credential'),
      credential.id === 0 ? t('no_credential') : (credential.name ?? t('unnamed', { id: String(credential.id) })),
    ],
    ...(isPulled ? [fact(t('syncs'), intervalText(connector.refresh_freq))] : []),
    ...(isPulled ? [fact(t('prunes'), intervalText(connector.prune_freq))] : []),
    ...(creator_email === null ? [] : [fact(t('creator'), creator_email)]),
    ...Object.entries(connector.connector_specific_config).map(([name, value]) =>
      fact(labelOfField(name), textOfValue(value)),
    ),
  ]
  return (
    <section className="card" aria-labelledby="settings">
      <div className="section-head">
        <h2 id="settings">{t('title')}</h2>
        <div className="row">
          <span className="small dimmed">
            {t.rich('created', { time: () => <Time at={connector.time_created} /> })}
          </span>
          {pair.is_editable_for_current_user && (
            <Button size="xs" variant="default" onClick={() => setIsEditing(true)}>
              {t('edit')}
            </Button>
          )}
        </div>
      </div>
      <dl className="config">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {isEditing && <EditConfiguration pair={pair} onClose={() => setIsEditing(false)} />}
    </section>
  )
}
