// People sign in and out with OpenID Connect.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { PROVIDER_TYPES } from '../../../domain/sign-in/provider.ts'
import { isLocalPath } from '../../../domain/values/local-path.ts'
import type { FinishedSignIn } from '../../../sign-in/oidc/oidc-sign-ins.ts'
import { listProviders } from '../../../store/identity/providers/sign-in-providers.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import {
  type BrowserContext,
  CookieResponse,
  pendingSignInCookies,
  SessionResponse,
} from '../../admission/browser-context.ts'
import { route } from '../../route.ts'

export const CALLBACK_PATH = '/auth/oidc/callback'
const SIGN_IN_PAGE = '/sign-in'
/** Codes of some providers have more than 2,000 characters. */
const MAX_PARAMETER = 8_192
const MAX_LOGOUT_FORM = 65_536

const parameter = () => nullish(wireString({ max: MAX_PARAMETER, pattern: WITHOUT_NUL }))
export const slugField = () => wireString({ min: 1, max: 50, pattern: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/ })

export const AuthorizationUrl = z.object({ authorization_url: z.string() }).meta({ id: 'AuthorizationUrlResponse' })

const SignInProvider = z
  .object({ slug: z.string(), name: z.string(), type: z.enum(PROVIDER_TYPES) })
  .meta({ id: 'SignInProvider' })

const CallbackQuery = z.object({
  code: parameter(),
  state: parameter(),
  iss: parameter(),
  error: parameter(),
  error_description: parameter(),
})

/** INVALID_INPUT: the service does not know its own address. */
export function callbackUrl({ serviceUrl }: Pick<BrowserContext, 'serviceUrl'>): string {
  if (serviceUrl !== null) return serviceUrl + CALLBACK_PATH
  throw new AppError('INVALID_INPUT', { reason: 'The service does not know its address. Set PUBLIC_URL.' })
}

/** A navigation names no origin: the address that people are meant to use says whether it is HTTPS. */
export const withScheme = (browser: BrowserContext): Pick<BrowserContext, 'isHttps'> => ({
  isHttps: browser.isHttps || browser.serviceUrl?.startsWith('https:') === true,
})

/** Sends the answer of a route that sets cookies and leads elsewhere. */
export function redirectTo(path: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location: path, 'cache-control': 'no-store' })
  for (const it of cookies) headers.append('set-cookie', it)
  return new Response(null, { status: 303, headers })
}

export function finishedResponse(finished: FinishedSignIn, browser: BrowserContext): Response {
  const scheme = withScheme(browser)
  const cookies = pendingSignInCookies(scheme, null)
  if (finished.outcome === 'tested')
    return redirectTo(`/admin/sign-in?${new URLSearchParams({ tested: String(finished.provider_id) })}`, cookies)
  if (finished.outcome === 'failed') {
    const { failure, provider, next_path: next } = finished
    const query = { failure, ...(provider !== null && { provider }), ...(next !== '/' && { next }) }
    return redirectTo(`${SIGN_IN_PAGE}?${new URLSearchParams(query)}`, cookies)
  }
  const session = { ...finished.session, withWireCookie: true }
  return redirectTo(finished.next_path, [...cookies, ...new SessionResponse(null, scheme, session).cookies])
}

export const oidcRoutes = [
  route({
    name: 'listSignInProviders',
    method: 'GET',
    path: '/auth/providers',
    access: 'public',
    tag: 'Sign-in',
    summary: 'List ways to sign in',
    description: 'The providers that are switched on, for the buttons of a page to sign in.',
    reply: z.array(SignInProvider),
    services: ['db', 'secrets'],
    handle: async ({ services }) =>
      (await listProviders(services))
        .filter((it) => it.is_enabled)
        .map(({ slug, name, type }) => ({ slug, name, type })),
  }),
  route({
    name: 'authorizeWithOidc',
    method: 'GET',
    path: '/auth/oidc/authorize',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Begin to sign in with OpenID Connect',
    description:
      'Answers the address at the provider to which a page sends the browser, and sets an HttpOnly cookie that binds the sign-in to this browser for ten minutes. The provider sends the browser back to `/auth/oidc/callback`.',
    query: z.object({
      provider: nullish(slugField()).describe('Not needed if there is one provider.'),
      next: nullish(wireString({ max: 2_000 })).describe(
        'The path of the page that opens afterwards; others are ignored.',
      ),
    }),
    reply: AuthorizationUrl,
    errors: ['SIGN_IN_PROVIDER_UNKNOWN', 'SIGN_IN_PROVIDER_DOWN', 'INVALID_INPUT'],
    services: ['oidc'],
    handle: async ({ query, browser, services: { oidc } }) => {
      const provider = await oidc.getEnabled(query.provider)
      const next_path = query.next !== null && isLocalPath(query.next) ? query.next : '/'
      const { authorization_url, ...pending } = await oidc.begin(provider, {
        ...{ purpose: 'sign_in', next_path, redirect_uri: callbackUrl(browser), address: browser.address },
      })
      return new CookieResponse({ authorization_url }, pendingSignInCookies(withScheme(browser), pending))
    },
  }),
  route({
    name: 'finishOidcSignIn',
    method: 'GET',
    path: CALLBACK_PATH,
    access: 'public',
    tag: 'Sign-in',
    summary: 'Finish to sign in with OpenID Connect',
    description:
      'The provider sends the browser here. Opens a session, sets its cookies, and redirects to the page that was wanted, or to the page to sign in with the reason.',
    query: CallbackQuery,
    // For browsers that a provider sends here, not for clients of the API.
    isHidden: true,
    reply: z.unknown(),
    services: ['oidc'],
    handle: async ({ query, browser, requestId, services: { oidc } }) => {
      const parameters = Object.fromEntries(
        Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      )
      const { pendingSignIn: browserToken } = browser
      const finished = await oidc.finish({ parameters, browserToken, client: browser, requestId })
      return finishedResponse(finished, browser)
    },
  }),
  route({
    name: 'logoutWithOidc',
    method: 'POST',
    path: '/auth/oidc/logout',
    access: 'authenticated',
    tag: 'Sign-in',
    summary: 'Sign out here and at the provider',
    description:
      'Ends the session of the cookie immediately. If a provider opened it and can end its own session, a page sends the browser to `end_session_url` for that.',
    audit: { action: 'session.delete' },
    reply: z.object({ end_session_url: z.string().nullable() }).meta({ id: 'SignOutResponse' }),
    services: ['oidc', 'sessions'],
    handle: async ({ browser, services: { oidc, sessions } }) => {
      const { session, serviceUrl } = browser
      if (session === undefined) return new SessionResponse({ end_session_url: null }, browser)
      const end_session_url = await oidc.endSessionUrl(session, (serviceUrl ?? '') + SIGN_IN_PAGE)
      await sessions.signOut(session)
      return new SessionResponse({ end_session_url }, browser)
    },
  }),
  route({
    name: 'logoutFromOidcProvider',
    method: 'POST',
    path: '/auth/oidc/backchannel-logout/{slug}',
    access: 'public',
    tag: 'Sign-in',
    summary: 'End sessions for a provider',
    description:
      'The provider calls this with a logout token (OpenID Connect Back-Channel Logout 1.0). Ends the browser sessions of the account or of the session that the token names.',
    params: z.object({ slug: slugField() }),
    acceptsForm: true,
    bodyLimitBytes: MAX_LOGOUT_FORM,
    body: z.object({ logout_token: wireString({ min: 1, max: 16_384 }) }).meta({ id: 'BackchannelLogoutRequest' }),
    reply: z.null(),
    errors: ['LOGOUT_TOKEN_INVALID', 'SIGN_IN_PROVIDER_UNKNOWN'],
    services: ['oidc', 'audit'],
    handle: async ({ params, body, requestId, services: { oidc, audit } }) => {
      const provider = await oidc.getEnabled(params.slug)
      const act = {
        ...{ actor_id: `provider:${provider.slug}`, api_key_id: null, email: null, action: 'session.delete' },
        ...{ fields: [], request_id: requestId },
      }
      const ended = await oidc.endByLogoutToken(provider, body.logout_token).catch(async (error: unknown) => {
        const error_code = 'LOGOUT_TOKEN_INVALID'
        if (error instanceof AppError && error.code === error_code)
          await audit.recordRefusal({ ...act, object_id: null, outcome: 'refused', error_code })
        throw error
      })
      await audit.record({ ...act, object_id: `${ended} sessions`, outcome: 'success', error_code: null })
      return null
    },
  }),
]
