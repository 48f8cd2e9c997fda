// The buttons that try a provider to which the browser is sent.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { checkSignInProvider, testSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderCheck, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorAlert } from '../../parts/states.tsx'

interface RedirectTestsProps {
  provider: SignInProviderSnapshot
  /** They are registered at the provider. */
  addresses: Record<string, string>
  describe: (check: SignInProviderCheck) => ReactNode
}

export function RedirectTests({ provider, addresses, describe }: RedirectTestsProps) {
  const path = { provider_id: provider.id }
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, path) })
  const test = useMutation({
    mutationFn: () => testSignInProvider(api, path),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  })
  const error = check.error ?? test.error
  return (
    <>
      {Object.entries(addresses).map(([label, text]) => (
        <p key={label} className="small long-text">
          {label}: <code>{text}</code> <CopyButton text={text} label={`Copy ${label}`} />
        </p>
      ))}
      <div className="row">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          Check
        </Button>
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {check.data !== undefined && (
        <div className="small" role="status">
          {describe(check.data)}
        </div>
      )}
    </>
  )
}
