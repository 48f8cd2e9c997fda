// The keys that encrypt stored secrets, for administrators: a new one is made, and old ones are deleted.
import { Alert, Button } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { listSecretKeys, rotateSecretKey } from '../../../../src/client/operations.ts'
import type { SecretKeys } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { KeyTable } from './key-table.tsx'
import './secret-keys.css'

const QUERY_KEY = ['secret-keys']
/** While secrets are encrypted again. */
const FAST_MS = 1_000

export function SecretKeysPage() {
  const t = textsOf('admin.secret_keys')
  const [isAsking, setIsAsking] = useState(false)
  const keys = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => listSecretKeys(api, { signal }),
    refetchInterval: ({ state }) => (state.data?.is_rotating ? FAST_MS : false),
    placeholderData: keepPreviousData,
  })
  useTitle(t('title'))
  const isOfOperator = keys.data?.keys.some((it) => it.is_newest && it.origin !== 'file') ?? false
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        {keys.data !== undefined && !isOfOperator && (
          <Button
            leftSection={<Icon name="retry" size={16} />}
            disabled={keys.data.is_rotating}
            onClick={() => setIsAsking(true)}
          >
            {t('rotate')}
          </Button>
        )}
      </div>
      {keys.isPending && <LoadingSkeleton />}
      {keys.isError && <ErrorAlert error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data !== undefined && (
        <>
          {isOfOperator && <OperatorNotice />}
          <RotationState keys={keys.data} />
          <KeyTable keys={keys.data} />
          <Backups />
        </>
      )}
      {isAsking && <RotateDialog onClose={() => setIsAsking(false)} />}
    </div>
  )
}

/** The operator sets the key in the environment, so only the operator can replace it. */
function OperatorNotice() {
  const t = textsOf('admin.secret_keys')
  return (
    <Alert variant="light" icon={<Icon name="key" />} title={t('operator_title')}>
      <p className="secret-key-text">{t.rich('operator_help', { code: (text) => <code>{text}</code> })}</p>
    </Alert>
  )
}

function RotationState({ keys: { keys, is_rotating, unreadable } }: { keys: SecretKeys }) {
  const t = textsOf('admin.secret_keys')
  const left = keys.reduce((sum, it) => sum + (it.is_newest ? 0 : it.secrets), 0)
  return (
    <>
      {is_rotating && (
        <Alert variant="light" color="blue" role="status" icon={<Icon name="retry" />} title={t('rotating')}>
          <p className="secret-key-text">{t('rotating_help', { count: left })}</p>
        </Alert>
      )}
      {unreadable > 0 && (
        <Alert
          variant="light"
          color="red"
          role="alert"
          icon={<Icon name="alert" />}
          title={t('unreadable', { count: unreadable })}
        >
          <p className="secret-key-text">{t.rich('unreadable_help', { code: (text) => <code>{text}</code> })}</p>
        </Alert>
      )}
    </>
  )
}

function Backups() {
  const t = textsOf('admin.secret_keys')
  return (
    <section className="card card-pad stack" aria-labelledby="key-backups">
      <h2 id="key-backups">{t('backups')}</h2>
      <p className="dimmed">{t.rich('backups_help', { code: (text) => <code>{text}</code> })}</p>
    </section>
  )
}

function RotateDialog({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.secret_keys.rotation')
  const queryClient = useQueryClient()
  const rotate = useMutation({
    mutationFn: () => rotateSecretKey(api),
    onSuccess: (keys) => {
      queryClient.setQueryData(QUERY_KEY, keys)
      onClose()
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <ul className="secret-key-steps">
        <li>{t('creates')}</li>
        <li>{t('encrypts')}</li>
        <li>{t('goes_on')}</li>
        <li>{t.rich('keep', { code: (text) => <code>{text}</code> })}</li>
      </ul>
      {rotate.isError && <ErrorAlert error={rotate.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          {t('confirm')}
        </Button>
      </div>
    </Dialog>
  )
}
