// Personal access tokens: programs use them to act as the person.
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deletePersonalAccessToken } from '../../../../src/client/operations.ts'
import type { TokenResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { EndButton, Expiry, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { NewToken } from './new-token.tsx'
import { MAX_TOKENS, tokensQuery } from './queries.ts'

export function AccessTokens() {
  const t = textsOf('account.tokens')
  const [isCreating, setIsCreating] = useState(false)
  const [tokenToDelete, setTokenToDelete] = useState<TokenResponse | null>(null)
  const tokens = useQuery(tokensQuery)
  return (
    <section className="card" aria-labelledby="tokens">
      <div className="section-head">
        <h2 id="tokens">{t('title')}</h2>
        <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setIsCreating(true)}>
          {t('new')}
        </Button>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {tokens.isError && <ErrorAlert error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isPending && <LoadingSkeleton lines={2} />}
      {(tokens.data?.length ?? 0) > 0 && <TokenTable tokens={tokens.data ?? []} onDelete={setTokenToDelete} />}
      {tokens.data?.length === MAX_TOKENS && (
        <p className="section-note dimmed small">{t('newest_only', { count: MAX_TOKENS })}</p>
      )}
      {isCreating && <NewToken onClose={() => setIsCreating(false)} />}
      {tokenToDelete !== null && <DeleteToken token={tokenToDelete} onClose={() => setTokenToDelete(null)} />}
    </section>
  )
}

function TokenTable({
  tokens,
  onDelete,
}: {
  tokens: readonly TokenResponse[]
  onDelete: (token: TokenResponse) => void
}) {
  const t = textsOf('account.tokens')
  const parts = textsOf('parts')
  return (
    <RecordTable
      label={t('title')}
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        { label: parts('name'), className: 'long-text', cell: ({ name }) => <bdi>{name}</bdi> },
        { label: t('token'), className: 'nowrap', cell: ({ token_display }) => <code>{token_display}</code> },
        {
          label: parts('permissions'),
          cell: ({ scopes }) => (scopes === null ? t('all_permissions') : scopes.join(', ')),
        },
        { label: t('last_used'), className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
        { label: parts('expires'), className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
      ]}
      action={(token) => (
        <EndButton
          label={parts('delete')}
          longLabel={t('delete_of', { name: token.name })}
          onClick={() => onDelete(token)}
        />
      )}
    />
  )
}

function DeleteToken({ token, onClose }: { token: TokenResponse; onClose: () => void }) {
  const t = textsOf('account.tokens')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deletePersonalAccessToken(api, { token_id: token.id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={t('delete_title')} onClose={onClose}>
      <p className="long-text">
        {t.rich('delete_help', {
          name: () => <bdi>{token.name}</bdi>,
          token: () => <code>{token.token_display}</code>,
        })}
      </p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}
