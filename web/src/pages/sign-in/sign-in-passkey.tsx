import { Button } from '@mantine/core'
import { loginWithPasskey, startPasskeySignIn } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { hasPasskeys, isCancelled, signWithPasskey } from '../account/passkey-browser.ts'
import { useSignIn } from './use-sign-in.ts'

/** Nothing in a browser without passkeys. */
export function PasskeyButton() {
  const signIn = useSignIn(async () =>
    loginWithPasskey(api, { body: await signWithPasskey(await startPasskeySignIn(api)) }),
  )
  if (!hasPasskeys()) return null
  return (
    <>
      <Button variant="default" size="md" fullWidth loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
      {signIn.isError && (
        <p role="alert" className="form-error">
          {isCancelled(signIn.error)
            ? 'No passkey was used. Try again, or use your password.'
            : errorMessage(signIn.error)}
        </p>
      )}
    </>
  )
}
