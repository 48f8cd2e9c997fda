// People sign in with the name and the password of an LDAP directory; administrators try it.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { LdapProviderSettings, LdapSettings, ProviderPolicy } from '../../../domain/sign-in/provider.ts'
import { isLdap } from '../../../sign-in/ldap/ldap-sign-ins.ts'
import { GROUPS_CLAIM, type LdapProvider } from '../../../sign-in/ldap/prove-account.ts'
import { countLinkedPeople } from '../../../store/identity/providers/person-identities.ts'
import {
  findVerdict,
  forgetAccounts,
  getProvider,
  insertProvider,
  updateProvider,
} from '../../../store/identity/providers/sign-in-providers.ts'
import { WITHOUT_NUL, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { SessionResponse } from '../../admission/browser-context.ts'
import { type RouteServices, route } from '../../route.ts'
import { passwordField } from '../identity/accounts.ts'
import { type LdapRequestBody, ldapOf } from './ldap-schemas.ts'
import { slugField } from './oidc.ts'
import {
  type PolicyRequest,
  type ProviderCreate,
  type ProviderUpdate,
  policyOf,
  Verdict,
  verdictOf,
} from './provider-schemas.ts'

const PATH = '/admin/sign-in/providers'

type ProviderServices = RouteServices<'db' | 'secrets'>

const usernameField = () => wireString({ min: 1, max: 320, pattern: WITHOUT_NUL })

const invalid = (reason: string) => new AppError('INVALID_INPUT', { reason })

/** The usual attributes, and the claim of the group search. */
const ldapPolicyOf = (request: z.infer<typeof PolicyRequest> | null, { groups }: LdapSettings): ProviderPolicy => {
  const groups_claim = request?.groups_claim ?? (groups === null ? null : GROUPS_CLAIM)
  return {
    ...policyOf(request),
    ...{ email_claim: request?.email_claim ?? 'mail', name_claim: request?.name_claim ?? 'cn', groups_claim },
    roles_claim: request?.roles_claim ?? groups_claim,
  }
}

export async function insertLdapProvider(
  services: ProviderServices,
  { slug, name, is_enabled, policy, ldap: sent }: z.infer<typeof ProviderCreate>,
  now: number,
): Promise<number> {
  if (sent === null) throw invalid('The field "ldap" is missing.')
  const ldap = ldapOf(sent)
  const secrets = secretsOf(sent)
  requirePassword(ldap, secrets !== null)
  const settings: LdapProviderSettings = { ...ldapPolicyOf(policy, ldap), ldap }
  return insertProvider(services, { type: 'ldap', slug, name, is_enabled: is_enabled ?? false, settings, secrets }, now)
}

function secretsOf({ search }: LdapRequestBody): { bind_password: string } | null {
  const bind_password = search?.bind_password ?? null
  return bind_password === null ? null : { bind_password }
}

function requirePassword({ people }: LdapSettings, hasPassword: boolean): void {
  if (people.kind === 'search' && people.bind_dn !== null && !hasPassword)
    throw invalid('The field "search.bind_password" is missing. Another server or another bind_dn needs it again.')
}

/**
 * The stored settings with the changes. The password that is stored goes to no other server and is that of no other account.
 * Another subject_attribute names other accounts.
 */
export async function changeLdapProvider(
  { db, secrets }: ProviderServices,
  provider: LdapProvider,
  { name, is_enabled, policy, oidc, saml, ldap: sent, forget_accounts }: z.infer<typeof ProviderUpdate>,
  now: number,
): Promise<void> {
  if (oidc !== null || saml !== null) throw invalid('This provider has "ldap".')
  const { ldap: before, ...policyBefore } = provider.settings
  const after = sent === null ? before : ldapOf(sent)
  const sentSecrets = sent === null ? null : secretsOf(sent)
  const keepsPassword = isSameAccount(before, after) && provider.secrets !== null
  requirePassword(after, sentSecrets !== null || keepsPassword)
  const hasOtherAccounts = after.subject_attribute !== before.subject_attribute
  await db.transaction().execute(async (trx) => {
    const count = hasOtherAccounts ? await countLinkedPeople(trx, provider.id) : 0
    if (count > 0 && forget_accounts !== true) throw new AppError('PROVIDER_HAS_PEOPLE', { count })
    if (hasOtherAccounts) await forgetAccounts(trx, provider.id)
    const settings = { ...(policy === null ? policyBefore : ldapPolicyOf(policy, after)), ldap: after }
    const change = {
      ...(name !== null && { name }),
      ...(is_enabled !== null && { is_enabled }),
      // Settings that were not sent may have been changed meanwhile.
      ...((sent !== null || policy !== null) && { settings }),
    }
    const keepsSecrets = sent === null || (sentSecrets === null && keepsPassword)
    const secret = keepsSecrets ? {} : { secrets: sentSecrets }
    await updateProvider({ db: trx, secrets }, provider.id, { ...change, ...secret }, now)
  })
}

const isSameAccount = (before: LdapSettings, after: LdapSettings): boolean =>
  before.url === after.url &&
  before.start_tls === after.start_tls &&
  before.ca === after.ca &&
  bindDnOf(before) === bindDnOf(after)

const bindDnOf = ({ people }: LdapSettings): string | null => (people.kind === 'search' ? people.bind_dn : null)

export const ldapRoutes = [
  route({
    name: 'loginWithLdap',
    method: 'POST',
    path: '/auth/ldap/login',
    access: 'public',
    tag: 'Sign-in',
    status: 204,
    summary: 'Sign in with the password of a directory',
    description:
      'Sets HttpOnly session cookies. The answer does not say whether the name is known. After some failures, a name and a client have to wait: see `Retry-After`.',
    bodyLimitBytes: 65_536,
    body: z
      .object({ provider: slugField(), username: usernameField(), password: passwordField() })
      .meta({ id: 'LdapLogin' }),
    reply: z.undefined(),
    errors: [
      ...(['LOGIN_BAD_CREDENTIALS', 'TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE', 'CSRF_FAILURE'] as const),
      ...(['SIGN_IN_REFUSED', 'SIGN_IN_PROVIDER_DOWN', 'SIGN_IN_PROVIDER_UNKNOWN'] as const),
    ],
    services: ['ldap'],
    handle: async ({ body, browser, checkCsrf, requestId, services: { ldap } }) => {
      checkCsrf()
      const { provider, username, password } = body
      const request = { username, password, client: browser, requestId }
      const { token, maxAgeMs } = await ldap.signIn(await ldap.getEnabled(provider), request)
      return new SessionResponse(undefined, browser, { token, maxAgeMs, withWireCookie: true })
    },
  }),
  route({
    name: 'testLdapProvider',
    method: 'POST',
    path: `${PATH}/{provider_id}/ldap-test`,
    access: 'admin',
    tag: 'Sign-in providers',
    summary: 'Test an LDAP provider',
    description:
      'Signs in at the directory with this name and password, and answers what a sign-in here would do. Nobody is signed in and nothing is changed.',
    audit: { action: 'sign_in_provider.test', object: 'provider_id' },
    params: z.object({ provider_id: wirePathInteger() }),
    bodyLimitBytes: 65_536,
    body: z.object({ username: usernameField(), password: passwordField() }).meta({ id: 'LdapTest' }),
    reply: Verdict,
    errors: ['PROVIDER_NOT_FOUND', 'TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'ldap'],
    handle: async ({ params: { provider_id: id }, body, browser, requestId, services }) => {
      const provider = await getProvider(services, id)
      if (!isLdap(provider)) throw invalid(`This provider is no directory. Test it with POST ${PATH}/${id}/test.`)
      await services.ldap.test(provider, { ...body, client: browser, requestId })
      const found = await findVerdict(services.db, id)
      return found === undefined ? null : verdictOf(found)
    },
  }),
]
