// People sign in with SAML 2.0.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { isLocalPath } from '../../../domain/values/local-path.ts'
import { addressesOf, serviceMetadata } from '../../../sign-in/saml/service-provider.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { type BrowserContext, CookieResponse, pendingSignInCookies } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { AuthorizationUrl, finishedResponse, redirectTo, slugField, withScheme } from './oidc.ts'

/** A response with 1,000 groups has about 300,000 characters. */
const MAX_RESPONSE = 500_000
/** In a form, some characters of base64 take three. */
const MAX_FORM = 786_432
const MAX_TOKEN = 100

const SlugPath = z.object({ slug: slugField() })
const token = () => wireString({ min: 1, max: MAX_TOKEN, pattern: WITHOUT_NUL })

/** INVALID_INPUT: the service does not know its own address. */
export function serviceUrlOf({ serviceUrl }: Pick<BrowserContext, 'serviceUrl'>): string {
  if (serviceUrl !== null) return serviceUrl
  throw new AppError('INVALID_INPUT', { reason: 'The service does not know its address. Set PUBLIC_URL.' })
}

export const samlRoutes = [
  route({
    name: 'authorizeWithSaml',
    method: 'GET',
    path: '/auth/saml/{slug}/authorize',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Begin to sign in with SAML',
    description:
      'Answers the address at the provider to which a page sends the browser, and sets an HttpOnly cookie that binds the sign-in to this browser for ten minutes. The provider posts its response to `/auth/saml/{slug}/callback`.',
    params: SlugPath,
    query: z.object({
      next: nullish(wireString({ max: 2_000 })).describe(
        'The path of the page that opens afterwards; others are ignored.',
      ),
    }),
    reply: AuthorizationUrl,
    errors: ['SIGN_IN_PROVIDER_UNKNOWN', 'INVALID_INPUT'],
    services: ['saml'],
    handle: async ({ params, query, browser, services: { saml } }) => {
      const provider = await saml.getEnabled(params.slug)
      const next_path = query.next !== null && isLocalPath(query.next) ? query.next : '/'
      const { authorization_url, ...pending } = await saml.begin(provider, {
        ...{ purpose: 'sign_in', next_path, serviceUrl: serviceUrlOf(browser), address: browser.address },
      })
      return new CookieResponse({ authorization_url }, pendingSignInCookies(withScheme(browser), pending))
    },
  }),
  route({
    name: 'getSamlMetadata',
    method: 'GET',
    path: '/auth/saml/{slug}/metadata',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Get the SAML metadata of Pharos for a provider',
    params: SlugPath,
    mediaType: 'application/samlmetadata+xml',
    reply: z.string(),
    errors: ['SIGN_IN_PROVIDER_UNKNOWN', 'INVALID_INPUT'],
    services: ['saml'],
    handle: async ({ params, browser, services: { saml } }) => {
      const { slug, settings } = await saml.get(params.slug)
      return new Response(await serviceMetadata(addressesOf(serviceUrlOf(browser), slug), settings.saml), {
        headers: { 'content-type': 'application/samlmetadata+xml; charset=utf-8' },
      })
    },
  }),
  route({
    name: 'receiveSamlResponse',
    method: 'POST',
    path: '/auth/saml/{slug}/callback',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Receive the response of a SAML provider',
    description:
      'The provider lets the browser post here, from its own site and so without cookies. A verified response is kept for the browser, which is sent on to end the sign-in with its cookie.',
    // For browsers that a provider sends here, not for clients of the API.
    isHidden: true,
    params: SlugPath,
    acceptsForm: true,
    bodyLimitBytes: MAX_FORM,
    body: z
      .object({
        SAMLResponse: wireString({ min: 1, max: MAX_RESPONSE }),
        RelayState: nullish(wireString({ max: 2_000 })),
      })
      .meta({ id: 'SamlResponse' }),
    reply: z.unknown(),
    services: ['saml'],
    handle: async ({ params, body, browser, requestId, services: { saml } }) => {
      const received = await saml.receive(await saml.get(params.slug), {
        ...{ response: body.SAMLResponse, relayState: body.RelayState, serviceUrl: serviceUrlOf(browser) },
        ...{ client: browser, requestId },
      })
      if (received.outcome !== 'answered') return finishedResponse(received, browser)
      const { state, answer } = received
      return redirectTo(`/auth/saml/${params.slug}/finish?${new URLSearchParams({ state, answer })}`, [])
    },
  }),
  route({
    name: 'finishSamlSignIn',
    method: 'GET',
    path: '/auth/saml/{slug}/finish',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Finish to sign in with SAML',
    description: 'The browser comes here with its cookie after its response was received.',
    isHidden: true,
    params: SlugPath,
    query: z.object({ state: token(), answer: token() }),
    reply: z.unknown(),
    services: ['saml'],
    handle: async ({ query, browser, requestId, services: { saml } }) => {
      const { pendingSignIn: browserToken } = browser
      return finishedResponse(await saml.finish({ ...query, browserToken, client: browser, requestId }), browser)
    },
  }),
]
