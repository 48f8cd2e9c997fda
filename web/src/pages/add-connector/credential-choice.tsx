// Which credential the connector uses: one that exists, a new one, or none where the source is open.
import { Button, Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listCredentialsBySource } from '../../../../src/client/operations.ts'
import type { ConnectorSource, CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { NewCredential } from './new-credential.tsx'

interface ChoiceProps {
  kind: ConnectorSource
  /** 0 is no credential, null is no choice yet. */
  chosen: number | null
  onChoose: (id: number) => void
}

export function CredentialChoice({ kind, chosen, onChoose }: ChoiceProps) {
  const t = textsOf('admin.add_connector')
  /** Files have no account, but may have a password. */
  const isPassword = kind.source === 'file'
  const [isMaking, setMaking] = useState(false)
  const credentials = useQuery({
    queryKey: ['credentials', kind.source],
    queryFn: ({ signal }) => listCredentialsBySource(api, { source: kind.source, limit: 200, signal }),
  })
  if (credentials.isPending) return <LoadingSkeleton lines={2} />
  if (credentials.isError) return <ErrorAlert error={credentials.error} retry={() => void credentials.refetch()} />
  const usable = credentials.data.filter((it) => it.id !== 0)
  const isFormOpen = isMaking || (usable.length === 0 && !kind.is_credential_optional)
  return (
    <>
      <p className="dimmed">{t(isPassword ? 'password_help' : 'credential_help')}</p>
      <Radio.Group
        aria-label={t(isPassword ? 'password_title' : 'credential_title')}
        value={chosen === null ? '' : String(chosen)}
        onChange={(id) => onChoose(Number(id))}
      >
        <div className="connect-choices">
          {kind.is_credential_optional && (
            <Radio
              value="0"
              label={t(isPassword ? 'no_password' : 'no_credential')}
              description={t(isPassword ? 'no_password_help' : 'no_credential_help')}
            />
          )}
          {usable.map((it) => (
            <Radio
              key={it.id}
              value={String(it.id)}
              label={<bdi>{credentialLabel(it)}</bdi>}
              description={<OriginsText origins={it.allowed_origins} />}
            />
          ))}
        </div>
      </Radio.Group>
      {isFormOpen ? (
        <NewCredential
          kind={kind}
          onCancel={usable.length === 0 && !kind.is_credential_optional ? null : () => setMaking(false)}
          onMade={(id) => {
            setMaking(false)
            onChoose(id)
          }}
        />
      ) : (
        <div>
          <Button variant="default" leftSection={<Icon name="key" size={16} />} onClick={() => setMaking(true)}>
            {t(isPassword ? 'new_password' : 'new_credential')}
          </Button>
        </div>
      )}
    </>
  )
}

export const credentialLabel = ({ id, name }: CredentialSnapshot): string =>
  name === null || name.trim() === '' ? textsOf('admin.credentials')('unnamed', { id: String(id) }) : name

/** Where the secret may be sent, in words. */
export const OriginsText = ({ origins }: { origins: readonly string[] }) => {
  const t = textsOf('admin.credentials')
  return <bdi>{origins.length === 0 ? t('no_origins') : t('origins', { origins: origins.join(', ') })}</bdi>
}
