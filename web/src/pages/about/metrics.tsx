// How Prometheus reads the metrics, and the key that it needs.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createApiKey } from '../../../../src/client/operations.ts'
import type { OperatorSetting } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { NewSecret } from '../../parts/new-secret.tsx'
import { textsOf } from '../../text/texts.ts'

const ACCESS = ['key', 'public', 'off'] as const
/** The longest name that the API takes. */
const MAX_NAME = 1_000

export function Metrics({ settings }: { settings: readonly OperatorSetting[] }) {
  const t = textsOf('admin.about.metrics')
  const [isMaking, setIsMaking] = useState(false)
  const value = settings.find((it) => it.name === 'METRICS')?.value
  const access = ACCESS.find((it) => it === value) ?? 'key'
  return (
    <section className="card" aria-labelledby="about-metrics">
      <div className="section-head">
        <h2 id="about-metrics">{t('title')}</h2>
        {access === 'key' && (
          <Button size="xs" variant="default" onClick={() => setIsMaking(true)}>
            {t('new_key')}
          </Button>
        )}
      </div>
      <div className="section-note stack">
        <p>{t.rich(`access.${access}`, { code: (text) => <code>{text}</code> })}</p>
        {access !== 'off' && (
          <>
            <CodeBlock text={scrapeConfig(access === 'key')} label={t('prometheus')} />
            <CodeBlock text={curlCommand(access === 'key')} label={t('command')} />
          </>
        )}
        {access === 'key' && (
          <p className="dimmed small">
            {t.rich('keys', { link: (text) => <AdminLink page="ingestion">{text}</AdminLink> })}
          </p>
        )}
      </div>
      {isMaking && <NewMetricsKey onClose={() => setIsMaking(false)} />}
    </section>
  )
}

function scrapeConfig(needsKey: boolean): string {
  const { protocol, host } = window.location
  const start = `scrape_configs:
  - job_name: pharos
    scheme: ${protocol.replace(':', '')}
    metrics_path: /metrics
    static_configs:
      - targets: ['${host}']`
  return needsKey ? `${start}\n${AUTHORIZATION}` : start
}

const AUTHORIZATION = ['    authorization:', '      credentials_file: /etc/prometheus/pharos-key'].join('\n')

const curlCommand = (needsKey: boolean): string => {
  const address = `'${window.location.origin}/metrics'`
  return needsKey
    ? `curl --fail-with-body -H "Authorization: Bearer $PHAROS_API_KEY" ${address}`
    : `curl --fail-with-body ${address}`
}

function NewMetricsKey({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.about.metrics')
  const queryClient = useQueryClient()
  return (
    <NewSecret
      is="key"
      texts={{ title: t('new_key'), create: t('create'), nameHelp: t('name_help'), nameExample: 'Prometheus' }}
      maxName={MAX_NAME}
      kinds={[{ value: 'metrics', label: t('may') }]}
      create={async ({ name, expiration_days }) => {
        const { api_key } = await createApiKey(api, {
          body: { name, expiration_days, role: 'limited', scopes: ['metrics'] },
        })
        await queryClient.invalidateQueries({ queryKey: ['keys'] })
        return api_key ?? ''
      }}
      onClose={onClose}
    />
  )
}
