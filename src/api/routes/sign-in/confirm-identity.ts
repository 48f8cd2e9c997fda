// Before a change of how they sign in, people prove again who they are.
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import type { BrowserContext } from '../../admission/browser-context.ts'
import type { RouteServices } from '../../route.ts'

const FRESH_MINUTES = 15

/** The id of the person. SIGN_IN_NEEDED for a key or a token, which must not change how its person signs in. */
export function signedInPerson({ person_id, credential }: Subject): string {
  if (credential.kind !== 'person' || person_id === null) throw new AppError('SIGN_IN_NEEDED')
  return person_id
}

/** Accepts the password of the person, or a sign-in within the last minutes. LOGIN_BAD_CREDENTIALS, SIGN_IN_AGAIN. */
export async function confirmIdentity(
  { accounts, sessions }: RouteServices<'accounts' | 'sessions'>,
  { subject, browser, password }: { subject: Subject; browser: BrowserContext; password: string | null },
  now: number,
): Promise<string> {
  const personId = signedInPerson(subject)
  if (password !== null) {
    await accounts.confirmPassword(personId, { password, address: browser.address })
    return personId
  }
  const openedAt = browser.session === undefined ? null : await sessions.openedAt(browser.session)
  if (openedAt === null || now - openedAt >= FRESH_MINUTES * 60_000)
    throw new AppError('SIGN_IN_AGAIN', { minutes: FRESH_MINUTES })
  return personId
}
