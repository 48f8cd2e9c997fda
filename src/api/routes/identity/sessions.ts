import { z } from 'zod'
import { buildAct } from '../../../identity/audit-log.ts'
import { MAX_SESSION_MS } from '../../../identity/sessions.ts'
import { wireString } from '../../../wire/schemas.ts'
import { SessionResponse } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { UserInfo, userInfo } from '../operations/status.ts'

const MAX_KEY = 4_096

export const sessionRoutes = [
  route({
    name: 'createSession',
    method: 'POST',
    path: '/auth/session',
    access: 'public',
    tag: 'Keys',
    summary: 'Create browser session',
    description:
      'Sets an HttpOnly cookie that authenticates as the key. The session ends when the key is revoked, after 7 days without use, or after 30 days. A browser must send the header `X-Requested-With` from a page of this service, as with every request with the cookie except GET.',
    body: z.object({ api_key: wireString({ min: 1, max: MAX_KEY }) }).meta({ id: 'SessionRequest' }),
    reply: UserInfo,
    errors: ['UNAUTHENTICATED', 'CSRF_FAILURE'],
    services: ['audit', 'sessions'],
    handle: async ({ body, browser, checkCsrf, services: { sessions, audit }, requestId }) => {
      checkCsrf()
      const { token, subject } = await sessions.signIn(body.api_key.trim())
      const entry = { action: 'session.create', object_id: null, outcome: 'success', error_code: null } as const
      await audit.record(buildAct(subject, { ...entry, fields: [], request_id: requestId }))
      return new SessionResponse(userInfo(subject), browser, { token, maxAgeMs: MAX_SESSION_MS })
    },
  }),
  route({
    name: 'deleteSession',
    method: 'DELETE',
    path: '/auth/session',
    access: 'authenticated',
    tag: 'Keys',
    summary: 'Delete browser session',
    description: 'Ends the session of the cookie immediately. The key stays valid.',
    audit: { action: 'session.delete' },
    reply: z.null(),
    services: ['sessions'],
    handle: async ({ browser, services: { sessions } }) => {
      if (browser.session !== undefined) await sessions.signOut(browser.session)
      return new SessionResponse(null, browser)
    },
  }),
]
