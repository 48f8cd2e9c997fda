// The buttons that try a provider to which the browser is sent.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { checkSignInProvider, testSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderCheck, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface RedirectTestsProps {
  provider: SignInProviderSnapshot
  /** They are registered at the provider. */
  addresses: readonly { label: string; text: string }[]
  describe: (check: SignInProviderCheck) => ReactNode
}

export function RedirectTests({ provider, addresses, describe }: RedirectTestsProps) {
  const t = textsOf('admin.sign_in.tests')
  const path = { provider_id: provider.id }
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, path) })
  const test = useMutation({
    mutationFn: () => testSignInProvider(api, path),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  })
  const error = check.error ?? test.error
  return (
    <>
      {addresses.map(({ label, text }) => (
        <p key={label} className="small long-text">
          {label}: <code>{text}</code> <CopyButton text={text} label={t('copy_of', { label })} />
        </p>
      ))}
      <div className="row">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          {t('check')}
        </Button>
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {t('test')}
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
