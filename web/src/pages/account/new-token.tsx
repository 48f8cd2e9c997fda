import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createPersonalAccessToken, listPersonalAccessTokenScopes } from '../../../../src/client/operations.ts'
import type { CreateTokenRequest, PatScopeOption } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { NewSecret } from '../../parts/new-secret.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
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
  const scopes = useQuery({
    queryKey: ['token-scopes'],
    queryFn: ({ signal }) => listPersonalAccessTokenScopes(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
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
      explain={(kind) => (
        <>
          {scopes.isPending && <LoadingSkeleton lines={2} />}
          {scopes.isError && <ErrorAlert error={scopes.error} retry={() => void scopes.refetch()} />}
          {scopes.data !== undefined && <Allowed scopes={SCOPES[kind]} known={scopes.data} />}
        </>
      )}
      onClose={onClose}
    />
  )
}

/** The permissions of the choice, with those that they imply, as far as this service has them. */
function Allowed({ scopes, known }: { scopes: Scopes; known: readonly PatScopeOption[] }) {
  const t = textsOf('account.tokens')
  if (scopes === null || scopes === undefined) return <p className="small dimmed">{t('allows_all')}</p>
  const given = known.filter(({ scope }) => scopes.includes(scope))
  const implied = new Set(given.flatMap((it) => [it.scope, ...it.implies]))
  return (
    <ul className="small dimmed account-scopes" aria-label={t('allows')}>
      {known
        .filter((it) => implied.has(it.scope))
        .map(({ scope }) => (
          <li key={scope}>
            <code>{scope}</code> {t(`scopes.${scope}`)}
          </li>
        ))}
    </ul>
  )
}
