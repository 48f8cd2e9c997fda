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

export function ScimTokenCard({ token }: Pick<ScimStatus, 'token'>) {
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: ['scim', 'status'] })
  const create = useMutation({
    mutationFn: () => createScimToken(api, { body: { name: 'Directory' } }),
    onSuccess: reload,
    onSettled: () => setIsAsking(false),
  })
  const revoke = useMutation({ mutationFn: () => revokeScimToken(api), onSettled: reload })
  return (
    <section className="card card-pad stack" aria-labelledby="scim-token">
      <h2 id="scim-token">Token</h2>
      {token === null && <p>There is no token. The directory cannot connect.</p>}
      {token !== null && (
        <p>
          <code>{token.token_display}</code>, created <Time at={token.created_at} />
        </p>
      )}
      {create.isError && <ErrorAlert error={create.error} />}
      {revoke.isError && <ErrorAlert error={revoke.error} />}
      <div className="row">
        <Button loading={create.isPending} onClick={() => (token === null ? create.mutate() : setIsAsking(true))}>
          {token === null ? 'Create token' : 'Renew token'}
        </Button>
        {token !== null && (
          <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke token
          </Button>
        )}
      </div>
      {isAsking && (
        <Dialog title="Renew the token?" onClose={() => setIsAsking(false)}>
          <p>The present token stops working at once. Enter the new one in the directory.</p>
          <div className="dialog-buttons">
            <Button variant="default" onClick={() => setIsAsking(false)}>
              Cancel
            </Button>
            <Button loading={create.isPending} onClick={() => create.mutate()}>
              Renew
            </Button>
          </div>
        </Dialog>
      )}
      {create.data !== undefined && (
        <SecretDialog kind="token" secret={create.data.raw_token} onClose={() => create.reset()} />
      )}
    </section>
  )
}
