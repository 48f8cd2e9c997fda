import { getMe, loginWithLdap } from '../../../../src/client/operations.ts'
import type { SignInProvider } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { SignInForm } from './sign-in-form.tsx'
import { useSignIn } from './use-sign-in.ts'

/** The name and password of a directory (LDAP). */
export function DirectoryForm({ provider }: { provider: SignInProvider }) {
  const signIn = useSignIn(async ({ name, password }: { name: string; password: string }) => {
    await loginWithLdap(api, { body: { provider: provider.slug, username: name, password } })
    return getMe(api)
  })
  return (
    <SignInForm
      nameLabel={textsOf('sign_in')('name_at_provider', { provider: provider.name })}
      maxNameLength={320}
      error={signIn.isError ? errorMessage(signIn.error) : undefined}
      isPending={signIn.isPending}
      onSubmit={signIn.mutate}
    />
  )
}
