// The answer of the source: that it works, or the fault and how to correct it.
import { Alert } from '@mantine/core'
import type { ConnectorTest } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

export function TestVerdict({ test: { problem, servers, documents } }: { test: ConnectorTest }) {
  const t = textsOf('admin.add_connector')
  return (
    <Alert
      variant="light"
      color={problem === null ? 'green' : 'red'}
      icon={<Icon name={problem === null ? 'check' : 'alert'} />}
      title={problem === null ? t('works') : t(`problems.${problem.kind}.title`)}
    >
      {problem !== null && (
        <>
          <p className="verdict-line">
            <bdi>{problem.message}</bdi>
          </p>
          <p className="verdict-line">{t(`problems.${problem.kind}.help`)}</p>
        </>
      )}
      {documents !== null && <p className="verdict-line">{t('source_documents', { count: documents })}</p>}
      {servers.length > 0 && (
        <ul className="verdict-servers small" aria-label={t('servers')}>
          {servers.map((it) => (
            <li key={it.origin}>
              <bdi>{it.origin}</bdi> · {t('requests', { count: it.requests })} ·{' '}
              {it.status === null ? t('no_answer') : t('answered', { status: String(it.status) })}
            </li>
          ))}
        </ul>
      )}
      {servers.length === 0 && problem === null && <p className="verdict-line small">{t('no_server')}</p>}
    </Alert>
  )
}
