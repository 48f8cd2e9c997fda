import { useQueryClient } from '@tanstack/react-query'
import { createPersonalAccessToken } from '../../../../src/client/operations.ts'
import type { CreateTokenRequest } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { NewSecret } from '../../parts/new-secret.tsx'
import { textsOf } from '../../text/texts.ts'
import { tokensQuery } from './queries.ts'

type Scopes = CreateTokenRequest['scopes']
const SCOPES = {
  all: null,
  search: ['read:search'],
  chat: ['read:search', 'read:chat', 'write:chat'],
} satisfies Record<string, Scopes>
const KINDS = ['all', 'search', 'chat'] as const
/** The longest name that the API takes. */
const MAX_NAME = 100

export function NewToken({ onClose }: { onClose: () => void }) {
  const t = textsOf('account.tokens')
  const queryClient = useQueryClient()
  return (
    <NewSecret
      is="token"
      texts={{ title: t('new'), create: t('create'), nameHelp: t('name_help') }}
      maxName={MAX_NAME}
      kinds={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
      create={async ({ kind, ...rest }) => {
        const { token } = await createPersonalAccessToken(api, { body: { ...rest, scopes: SCOPES[kind] } })
        await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
        return token
      }}
      onClose={onClose}
    />
  )
}
