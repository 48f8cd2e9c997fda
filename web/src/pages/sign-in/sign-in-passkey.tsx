import { Button } from '@mantine/core'
import { loginWithPasskey, startPasskeySignIn } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { hasPasskeys, isCancelled, signWithPasskey } from '../account/passkey-browser.ts'
import { useSignIn } from './use-sign-in.ts'

/** Nothing in a browser without passkeys. */
export function PasskeyButton() {
  const t = textsOf('sign_in.passkey')
  const signIn = useSignIn(async () =>
    loginWithPasskey(api, { body: await signWithPasskey(await startPasskeySignIn(api)) }),
  )
  if (!hasPasskeys()) return null
  return (
    <>
      <Button variant="default" size="md" fullWidth loading={signIn.isPending} onClick={() => signIn.mutate()}>
        {t('use')}
      </Button>
      {signIn.isError && (
        <p role="alert" className="form-error">
          {isCancelled(signIn.error) ? t('cancelled') : errorMessage(signIn.error)}
        </p>
      )}
    </>
  )
}
