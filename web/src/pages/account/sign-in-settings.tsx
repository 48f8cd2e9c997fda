// How the person signs in. A session of a key, which acts for the person, must not change that.
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'
import { textsOf } from '../../text/texts.ts'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor, secondFactorQuery } from './second-factor.tsx'

export function SignInSettings() {
  const { error } = useQuery(secondFactorQuery)
  if (error instanceof ApiError && error.error_code === 'SIGN_IN_NEEDED') return <ActsForPerson />
  return (
    <>
      <PasswordForm />
      <SecondFactor />
      <Passkeys />
    </>
  )
}

function ActsForPerson() {
  const t = textsOf('account.key_session')
  return (
    <section className="card" aria-labelledby="sign-in-settings">
      <div className="section-head">
        <h2 id="sign-in-settings">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
    </section>
  )
}
