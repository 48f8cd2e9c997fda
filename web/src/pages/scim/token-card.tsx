// The token of the directory: it is shown once, and a new one ends the old one.
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createScimToken, revokeScimToken } from '../../../../src/client/operations.ts'
import type { ScimStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

export function ScimTokenCard({ token }: Pick<ScimStatus, 'token'>) {
  const t = textsOf('admin.scim.token')
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: ['scim', 'status'] })
  const create = useMutation({
    mutationFn: () => createScimToken(api, { body: { name: t('name') } }),
    onSuccess: reload,
    onSettled: () => setIsAsking(false),
  })
  const revoke = useMutation({ mutationFn: () => revokeScimToken(api), onSettled: reload })
  return (
    <section className="card card-pad stack" aria-labelledby="scim-token">
      <h2 id="scim-token">{t('title')}</h2>
      {token === null && <p>{t('none')}</p>}
      {token !== null && (
        <p>
          {t.rich('created', {
            token: () => <code>{token.token_display}</code>,
            time: () => <Time at={token.created_at} />,
          })}
        </p>
      )}
      {create.isError && <ErrorAlert error={create.error} />}
      {revoke.isError && <ErrorAlert error={revoke.error} />}
      <div className="row">
        <Button loading={create.isPending} onClick={() => (token === null ? create.mutate() : setIsAsking(true))}>
          {token === null ? t('create') : t('renew')}
        </Button>
        {token !== null && (
          <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            {t('revoke')}
          </Button>
        )}
      </div>
      {isAsking && (
        <RenewDialog isPending={create.isPending} onRenew={() => create.mutate()} onClose={() => setIsAsking(false)} />
      )}
      {create.data !== undefined && (
        <SecretDialog kind="token" secret={create.data.raw_token} onClose={() => create.reset()} />
      )}
    </section>
  )
}

interface RenewProps {
  isPending: boolean
  onRenew: () => void
  onClose: () => void
}

function RenewDialog({ isPending, onRenew, onClose }: RenewProps) {
  const t = textsOf('admin.scim.token')
  return (
    <Dialog title={t('renew_title')} onClose={onClose}>
      <p>{t('renew_help')}</p>
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button loading={isPending} onClick={onRenew}>
          {t('renew_confirm')}
        </Button>
      </div>
    </Dialog>
  )
}
