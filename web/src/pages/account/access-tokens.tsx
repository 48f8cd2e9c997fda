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
import { NewToken } from './new-token.tsx'
import { MAX_TOKENS, tokensQuery } from './queries.ts'

export function AccessTokens() {
  const [isCreating, setIsCreating] = useState(false)
  const [tokenToDelete, setTokenToDelete] = useState<TokenResponse | null>(null)
  const tokens = useQuery(tokensQuery)
  return (
    <section className="card" aria-labelledby="tokens">
      <div className="section-head">
        <h2 id="tokens">Personal access tokens</h2>
        <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setIsCreating(true)}>
          New token
        </Button>
      </div>
      <p className="section-note dimmed">
        With a token, a program acts as you and may do what you may, or less. Create one for each program.
      </p>
      {tokens.isError && <ErrorAlert error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.isPending && <LoadingSkeleton lines={2} />}
      {(tokens.data?.length ?? 0) > 0 && <TokenTable tokens={tokens.data ?? []} onDelete={setTokenToDelete} />}
      {tokens.data?.length === MAX_TOKENS && (
        <p className="section-note dimmed small">Only the newest {MAX_TOKENS} are listed.</p>
      )}
      {isCreating && <NewToken onClose={() => setIsCreating(false)} />}
      {tokenToDelete !== null && <DeleteToken token={tokenToDelete} onClose={() => setTokenToDelete(null)} />}
    </section>
  )
}

const TokenTable = ({
  tokens,
  onDelete,
}: {
  tokens: readonly TokenResponse[]
  onDelete: (token: TokenResponse) => void
}) => (
  <RecordTable
    label="Personal access tokens"
    rows={tokens}
    keyOf={({ id }) => id}
    columns={[
      { label: 'Name', className: 'long-text', cell: ({ name }) => <bdi>{name}</bdi> },
      { label: 'Token', className: 'nowrap', cell: ({ token_display }) => <code>{token_display}</code> },
      { label: 'Permissions', cell: ({ scopes }) => (scopes === null ? 'all of yours' : scopes.join(', ')) },
      { label: 'Last used', className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
      { label: 'Expires', className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
    ]}
    action={(token) => (
      <EndButton label="Delete" longLabel={`Delete the token ${token.name}`} onClick={() => onDelete(token)} />
    )}
  />
)

function DeleteToken({ token, onClose }: { token: TokenResponse; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deletePersonalAccessToken(api, { token_id: token.id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title="Delete the token?" onClose={onClose}>
      <p className="long-text">
        Programs that use <bdi>{token.name}</bdi> (<code>{token.token_display}</code>) stop working at once. This cannot
        be undone.
      </p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete token
        </Button>
      </div>
    </Dialog>
  )
}
