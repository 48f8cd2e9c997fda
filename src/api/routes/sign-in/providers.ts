// Administrators set up the providers with which people sign in.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { OidcProviderSettings } from '../../../domain/sign-in/provider.ts'
import { isLdap } from '../../../sign-in/ldap/ldap-sign-ins.ts'
import { isOidc } from '../../../sign-in/oidc/oidc-sign-ins.ts'
import type { OidcProvider } from '../../../sign-in/oidc/provider-clients.ts'
import { isSaml } from '../../../sign-in/saml/saml-sign-ins.ts'
import { countLinkedPeople, unlinkPerson } from '../../../store/identity/providers/person-identities.ts'
import {
  deleteProvider,
  findVerdict,
  forgetAccounts,
  getProvider,
  insertProvider,
  listProviders,
  updateProvider,
} from '../../../store/identity/providers/sign-in-providers.ts'
import { WITHOUT_NUL, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { CookieResponse, pendingSignInCookies } from '../../admission/browser-context.ts'
import { type RouteServices, route } from '../../route.ts'
import { changeLdapProvider, insertLdapProvider } from './ldap.ts'
import { AuthorizationUrl, callbackUrl, withScheme } from './oidc.ts'
import {
  oidcOf,
  ProviderCheck,
  ProviderCreate,
  ProviderSnapshot,
  ProviderUpdate,
  policyOf,
  snapshotOf,
  Verdict,
  verdictOf,
} from './provider-schemas.ts'
import { serviceUrlOf } from './saml.ts'
import { changeSamlProvider, checkSamlProvider, insertSamlProvider } from './saml-providers.ts'

const ProviderPath = z.object({ provider_id: wirePathInteger() })
const base = { access: 'admin', tag: 'Sign-in providers' } as const
const PATH = '/admin/sign-in/providers'

type ProviderServices = RouteServices<'db' | 'secrets'>

async function getOidcProvider(services: ProviderServices, id: number): Promise<OidcProvider> {
  const provider = await getProvider(services, id)
  if (!isOidc(provider)) throw new AppError('PROVIDER_NOT_FOUND', { id })
  return provider
}

const ldapTestHint = (id: number) =>
  `A directory has no page of its own. Send the name and the password of a person to POST ${PATH}/${id}/ldap-test.`

type ServerMetadata = ReturnType<
  Awaited<ReturnType<RouteServices<'oidc'>['oidc']['check']>>['configuration']['serverMetadata']
>

const checkOf = (it: ServerMetadata): NonNullable<z.infer<typeof ProviderCheck>['oidc']> => ({
  issuer: it.issuer,
  authorization_endpoint: it.authorization_endpoint ?? null,
  token_endpoint: it.token_endpoint ?? null,
  userinfo_endpoint: it.userinfo_endpoint ?? null,
  end_session_endpoint: it.end_session_endpoint ?? null,
  supports_iss: it.authorization_response_iss_parameter_supported === true,
  supports_backchannel_logout: it.backchannel_logout_supported === true,
})

const NOTHING = { oidc: null, ldap: null, saml: null }

const ONE_PROTOCOL = 'Send exactly one of "oidc", "ldap" and "saml".'

function requireSecret(hasSecret: boolean, reason: string): void {
  if (!hasSecret) throw new AppError('INVALID_INPUT', { reason: `The field "client_secret" is missing. ${reason}` })
}

async function insertAnyProvider(
  services: ProviderServices,
  body: z.infer<typeof ProviderCreate>,
  now: number,
): Promise<number> {
  const { slug, name, is_enabled, policy, oidc, ldap, saml } = body
  if ([oidc, ldap, saml].filter((it) => it !== null).length !== 1)
    throw new AppError('INVALID_INPUT', { reason: ONE_PROTOCOL })
  if (saml !== null) return insertSamlProvider(services, body, now)
  if (oidc === null) return insertLdapProvider(services, body, now)
  const { client_secret } = oidc
  requireSecret(client_secret !== null, 'A provider needs one.')
  const settings: OidcProviderSettings = { ...policyOf(policy), oidc: oidcOf(oidc) }
  const columns = { type: 'oidc', slug, name, is_enabled: is_enabled ?? false, settings } as const
  return insertProvider(services, { ...columns, secrets: client_secret === null ? null : { client_secret } }, now)
}

/** The stored settings with the changes. Another issuer needs the secret again, and a word if people are linked. */
async function changeProvider(
  { db, secrets }: ProviderServices,
  provider: OidcProvider,
  { name, is_enabled, policy, oidc, ldap, saml, forget_accounts }: z.infer<typeof ProviderUpdate>,
  now: number,
): Promise<void> {
  if (ldap !== null || saml !== null) throw new AppError('INVALID_INPUT', { reason: 'This provider has "oidc".' })
  const { oidc: before, ...policyBefore } = provider.settings
  const after = oidc === null ? before : oidcOf(oidc)
  const isOtherIssuer = after.issuer !== before.issuer
  const sent = oidc?.client_secret ?? null
  if (isOtherIssuer) requireSecret(sent !== null, 'Another issuer needs it again.')
  if (is_enabled === true) requireSecret(sent !== null || provider.secrets !== null, 'A provider needs one.')
  await db.transaction().execute(async (trx) => {
    const count = isOtherIssuer ? await countLinkedPeople(trx, provider.id) : 0
    if (count > 0 && forget_accounts !== true) throw new AppError('PROVIDER_HAS_PEOPLE', { count })
    if (isOtherIssuer) await forgetAccounts(trx, provider.id)
    const settings = { ...(policy === null ? policyBefore : policyOf(policy)), oidc: after }
    const change = {
      ...(name !== null && { name }),
      ...(is_enabled !== null && { is_enabled }),
      // Settings that were not sent may have been changed meanwhile.
      ...((oidc !== null || policy !== null) && { settings }),
    }
    const secret = sent === null ? {} : { secrets: { client_secret: sent } }
    await updateProvider({ db: trx, secrets }, provider.id, { ...change, ...secret }, now)
  })
}

export const signInProviderRoutes = [
  route({
    ...base,
    name: 'listSignInProvidersForAdmin',
    method: 'GET',
    path: PATH,
    summary: 'List sign-in providers',
    reply: z.array(ProviderSnapshot),
    services: ['db', 'secrets'],
    handle: async ({ browser, services }) => {
      const snapshots: z.infer<typeof ProviderSnapshot>[] = []
      for (const it of await listProviders(services)) snapshots.push(await snapshotOf(services, it, browser.serviceUrl))
      return snapshots
    },
  }),
  route({
    ...base,
    name: 'createSignInProvider',
    method: 'POST',
    path: PATH,
    summary: 'Create sign-in provider',
    audit: { action: 'sign_in_provider.create', object: (_, { id }) => id },
    body: ProviderCreate,
    reply: ProviderSnapshot,
    errors: ['DUPLICATE_RESOURCE', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ body, browser, services }) => {
      const id = await insertAnyProvider(services, body, services.now())
      return snapshotOf(services, await getProvider(services, id), browser.serviceUrl)
    },
  }),
  route({
    ...base,
    name: 'getSignInProvider',
    method: 'GET',
    path: `${PATH}/{provider_id}`,
    summary: 'Get sign-in provider',
    params: ProviderPath,
    reply: ProviderSnapshot,
    errors: ['PROVIDER_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, browser, services }) =>
      snapshotOf(services, await getProvider(services, params.provider_id), browser.serviceUrl),
  }),
  route({
    ...base,
    name: 'updateSignInProvider',
    method: 'PATCH',
    path: `${PATH}/{provider_id}`,
    summary: 'Update sign-in provider',
    description:
      'Another issuer needs the client secret again. Another issuer or entity ID needs `forget_accounts` if people are linked to accounts of the present one. Sessions go on when a provider is switched off.',
    audit: { action: 'sign_in_provider.update', object: 'provider_id' },
    params: ProviderPath,
    body: ProviderUpdate,
    reply: ProviderSnapshot,
    errors: ['PROVIDER_NOT_FOUND', 'PROVIDER_HAS_PEOPLE', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ params, body, browser, services }) => {
      const provider = await getProvider(services, params.provider_id)
      if (isSaml(provider)) await changeSamlProvider(services, provider, body, services.now())
      else if (isLdap(provider)) await changeLdapProvider(services, provider, body, services.now())
      else await changeProvider(services, await getOidcProvider(services, params.provider_id), body, services.now())
      return snapshotOf(services, await getProvider(services, params.provider_id), browser.serviceUrl)
    },
  }),
  route({
    ...base,
    name: 'deleteSignInProvider',
    method: 'DELETE',
    path: `${PATH}/{provider_id}`,
    summary: 'Delete sign-in provider',
    description:
      'Ends the sessions that it opened and forgets its links to people. Its groups keep their members and are managed here from now on.',
    audit: { action: 'sign_in_provider.delete', object: 'provider_id' },
    params: ProviderPath,
    reply: z.null(),
    errors: ['PROVIDER_NOT_FOUND'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ params, services }) => {
      await getProvider(services, params.provider_id)
      await deleteProvider(services.db, params.provider_id, services.now())
      return null
    },
  }),
  route({
    ...base,
    name: 'checkSignInProvider',
    method: 'POST',
    path: `${PATH}/{provider_id}/check`,
    summary: 'Check that a sign-in provider can be reached',
    description:
      'Reads the discovery document, or connects to the directory and binds the account that searches, or compares the settings of SAML with the metadata at `metadata_url`. Nobody signs in.',
    audit: { action: 'sign_in_provider.check', object: 'provider_id' },
    params: ProviderPath,
    reply: ProviderCheck,
    errors: ['PROVIDER_NOT_FOUND', 'SIGN_IN_PROVIDER_FAILED'],
    services: ['db', 'secrets', 'oidc', 'ldap', 'saml'],
    handle: async ({ params: { provider_id: id }, services }) => {
      const provider = await getProvider(services, id)
      if (isLdap(provider)) return { ...NOTHING, ldap: await services.ldap.check(provider) }
      if (isSaml(provider)) return { ...NOTHING, saml: await checkSamlProvider(services, provider) }
      if (!isOidc(provider)) throw new AppError('PROVIDER_NOT_FOUND', { id })
      const { configuration } = await services.oidc.check(provider)
      return { ...NOTHING, oidc: checkOf(configuration.serverMetadata()) }
    },
  }),
  route({
    ...base,
    name: 'testSignInProvider',
    method: 'POST',
    path: `${PATH}/{provider_id}/test`,
    summary: 'Begin to test a sign-in provider',
    description:
      'Answers the address at the provider to which the page sends the browser. After the real sign-in there, `GET …/test` has the verdict; nobody is signed in and nothing is changed.',
    audit: { action: 'sign_in_provider.test', object: 'provider_id' },
    params: ProviderPath,
    reply: AuthorizationUrl,
    errors: ['PROVIDER_NOT_FOUND', 'SIGN_IN_PROVIDER_DOWN', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'oidc', 'saml'],
    handle: async ({ params, browser, services }) => {
      const provider = await getProvider(services, params.provider_id)
      if (isLdap(provider)) throw new AppError('INVALID_INPUT', { reason: ldapTestHint(provider.id) })
      const test = { purpose: 'test', next_path: '/', address: browser.address } as const
      const { authorization_url, ...pending } = isSaml(provider)
        ? await services.saml.begin(provider, { ...test, serviceUrl: serviceUrlOf(browser) })
        : await services.oidc.begin(await getOidcProvider(services, provider.id), {
            ...{ ...test, redirect_uri: callbackUrl(browser) },
          })
      return new CookieResponse({ authorization_url }, pendingSignInCookies(withScheme(browser), pending))
    },
  }),
  route({
    ...base,
    name: 'getSignInProviderVerdict',
    method: 'GET',
    path: `${PATH}/{provider_id}/test`,
    summary: 'Get the verdict of the last test',
    description: 'Null if there was none within the last hour.',
    params: ProviderPath,
    reply: Verdict,
    errors: ['PROVIDER_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, services }) => {
      await getProvider(services, params.provider_id)
      const found = await findVerdict(services.db, params.provider_id)
      return found === undefined ? null : verdictOf(found)
    },
  }),
  route({
    ...base,
    name: 'unlinkPersonFromProvider',
    method: 'DELETE',
    path: `${PATH}/{provider_id}/people/{user_id}`,
    summary: 'Unlink a person from a sign-in provider',
    description:
      'Ends the sessions that the provider opened for them. The next sign-in there looks for a person by the verified address again.',
    audit: { action: 'sign_in_provider.unlink', object: 'provider_id' },
    params: ProviderPath.extend({ user_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    reply: z.null(),
    errors: ['PROVIDER_NOT_FOUND', 'PERSON_ID_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, services }) => {
      await getProvider(services, params.provider_id)
      const wasLinked = await services.db
        .transaction()
        .execute((trx) => unlinkPerson(trx, params.provider_id, params.user_id))
      if (!wasLinked) throw new AppError('PERSON_ID_NOT_FOUND', { id: params.user_id })
      return null
    },
  }),
]
