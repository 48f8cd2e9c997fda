// Whether a tool or an MCP server may receive tokens of the people who use it: what that means, and the decision.
import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PassthroughGrant } from '../../../../src/client/schemas.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  name: string
  /** The address that receives the tokens. */
  server: string
  grant: PassthroughGrant | null
  onGrant: () => Promise<unknown>
  onRevoke: () => Promise<unknown>
}

export function PassthroughCard({ name, server, grant, onGrant, onRevoke }: Props) {
  const t = textsOf('admin.tools.passthrough')
  const [isRevoking, setIsRevoking] = useState(false)
  const allow = useMutation({ mutationFn: onGrant })
  const revoke = useMutation({ mutationFn: onRevoke, onSuccess: () => setIsRevoking(false) })
  return (
    <section className="card card-pad stack" aria-labelledby="passthrough">
      <div className="row">
        <h2 id="passthrough">{t('title')}</h2>
        <Badge color={grant === null ? 'yellow' : 'green'} variant="light" tt="none">
          {grant === null ? t('not_granted') : t('granted')}
        </Badge>
      </div>
      <p className="long-text">{t.rich('help', { server: () => <bdi>{server}</bdi> })}</p>
      <p className="dimmed">
        {grant === null ? t('owner_only') : t.rich('since', { time: () => <Time at={grant.granted_at} /> })}
      </p>
      {allow.isError && <ErrorAlert error={allow.error} />}
      <div className="row">
        {grant === null ? (
          <Button loading={allow.isPending} onClick={() => allow.mutate()}>
            {t('grant')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setIsRevoking(true)}>
            {t('revoke')}
          </Button>
        )}
      </div>
      {isRevoking && (
        <ConfirmDialog
          title={t('revoke_title')}
          action={t('revoke')}
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={() => setIsRevoking(false)}
        >
          {t.rich('revoke_help', { name: () => <bdi>{name}</bdi> })}
        </ConfirmDialog>
      )}
    </section>
  )
}
