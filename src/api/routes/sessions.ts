import { z } from 'zod'
import { wireString } from '../../domain/wire.ts'
import { actOf } from '../../identity/audit.ts'
import { SESSION_MS } from '../../identity/sessions.ts'
import { SessionAnswer } from '../browser.ts'
import { route } from '../route.ts'
import { UserInfo, userInfo } from './state.ts'

const MAX_KEY = 4_096

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/auth/session',
    access: 'public',
    tag: 'Keys',
    summary: 'Sign a browser in with a key',
    description:
      'Sets a cookie that scripts cannot read. It stands for the key, ends with it, after 7 days without use, and after 30 days. Needs the header `X-Requested-With`, and so does every other call but GET that comes with the cookie.',
    body: z.object({ api_key: wireString({ min: 1, max: MAX_KEY }) }).meta({ id: 'SessionRequest' }),
    reply: UserInfo,
    errors: ['UNAUTHENTICATED', 'CSRF_FAILURE'],
    handle: async ({ body, browser, checkForgery, services: { sessions, audit }, requestId }) => {
      checkForgery()
      const { token, subject } = await sessions.open(body.api_key.trim())
      const entry = { action: 'session.create', object_id: null, outcome: 'success', error_code: null } as const
      await audit.record(actOf(subject, { ...entry, fields: [], request_id: requestId }))
      return new SessionAnswer(userInfo(subject), browser, { token, maxAgeMs: SESSION_MS })
    },
  }),
  route({
    method: 'DELETE',
    path: '/auth/session',
    access: 'authenticated',
    tag: 'Keys',
    summary: 'Sign the browser out',
    description: 'The session of the cookie is dead at once. The key stays.',
    audit: { action: 'session.delete' },
    reply: z.null(),
    handle: async ({ browser, services: { sessions } }) => {
      if (browser.session !== undefined) await sessions.close(browser.session)
      return new SessionAnswer(null, browser)
    },
  }),
]
