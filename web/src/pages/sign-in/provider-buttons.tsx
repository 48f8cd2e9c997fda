// The ways to sign in with a provider, and why the last try failed.
import { Alert, Button, Divider } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { authorizeWithOidc, authorizeWithSaml, listSignInProviders } from '../../../../src/client/operations.ts'
import type { SignInProvider } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { safeNextPath } from './next-path.ts'
import { signInFailureText } from './sign-in-failures.ts'

/** `onDirectory`: a directory has no page of its own; its name and password are entered here. */
export function ProviderButtons({ onDirectory }: { onDirectory: (provider: SignInProvider) => void }) {
  const t = textsOf('sign_in')
  const { next, failure, provider: failedAt } = useSearch({ from: '/sign-in' })
  const providers = useQuery({
    queryKey: ['sign-in-providers'],
    queryFn: ({ signal }) => listSignInProviders(api, { signal }),
  })
  const leave = useMutation({
    mutationFn: ({ slug, type }: SignInProvider) => {
      const path = safeNextPath(next, window.location.origin)
      return type === 'saml'
        ? authorizeWithSaml(api, { slug, next: path })
        : authorizeWithOidc(api, { provider: slug, next: path })
    },
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  })
  const offered = providers.data ?? []
  const reason = leave.isError ? errorMessage(leave.error) : failure && signInFailureText(failure)
  const name = offered.find((it) => it.slug === failedAt)?.name
  return (
    <>
      {reason !== undefined && reason !== '' && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          icon={<Icon name="alert" />}
          title={name === undefined ? t('failed') : t('failed_at', { provider: name })}
        >
          {reason}
        </Alert>
      )}
      {offered.length > 0 && (
        <div className="stack">
          {offered.map((it) => (
            <Button
              key={it.slug}
              variant="default"
              size="md"
              fullWidth
              loading={leave.isPending && leave.variables.slug === it.slug}
              onClick={() => (it.type === 'ldap' ? onDirectory(it) : leave.mutate(it))}
            >
              {t('with_provider', { provider: it.name })}
            </Button>
          ))}
          <Divider label={t('or')} />
        </div>
      )}
    </>
  )
}
