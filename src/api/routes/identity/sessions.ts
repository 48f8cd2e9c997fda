import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { SESSION_METHODS } from '../../../domain/sign-in/session-method.ts'
import type { StoredSession } from '../../../store/identity/sessions.ts'
import { WITHOUT_NUL, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { SessionResponse } from '../../admission/browser-context.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { UserInfo, userInfo } from '../operations/status.ts'
import { auditRefusedSignIn, auditSignIn } from './audited-sign-in.ts'

const MAX_KEY = 4_096

const SessionSnapshot = z
  .object({
    id: z.int(),
    method: z.enum(SESSION_METHODS).nullable().describe('How the person signed in; null if not known.'),
    user_agent: z.string().nullable(),
    address: z.string().nullable().describe('IP address at the sign-in.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
    is_current: z.boolean().describe('Whether this request uses the session.'),
  })
  .meta({ id: 'SessionSnapshot' })

const sessionSnapshot = (stored: StoredSession, is_current: boolean): z.infer<typeof SessionSnapshot> => ({
  id: stored.id,
  method: stored.method,
  user_agent: stored.user_agent,
  address: stored.address,
  created_at: iso(stored.created_at),
  last_used_at: iso(stored.last_used_at),
  is_current,
})

const PersonPath = z.object({ user_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) })
const EndedSessions = z.object({ ended: z.int() }).meta({ id: 'EndedSessions' })
/** The rest of each password field is checked by the password policy. */
const passwordText = () => wireString({ min: 1, max: 10_000, pattern: WITHOUT_NUL })

export const sessionRoutes = [
  route({
    name: 'createSession',
    method: 'POST',
    path: '/auth/session',
    access: 'public',
    tag: 'Sign-in',
    summary: 'Sign in with a key',
    description:
      'Sets an HttpOnly cookie that authenticates as the key. The session ends when the key is revoked, after `SESSION_IDLE_HOURS` without use, or after `SESSION_MAX_HOURS`. A browser must send the header `X-Requested-With` from a page of this service, as with every request with the cookie except GET.',
    body: z.object({ api_key: wireString({ min: 1, max: MAX_KEY }) }).meta({ id: 'SessionRequest' }),
    reply: UserInfo,
    errors: ['UNAUTHENTICATED', 'CSRF_FAILURE'],
    services: ['audit', 'sessions', 'db'],
    handle: async ({ body, browser, checkCsrf, services: { sessions, audit, db }, requestId }) => {
      checkCsrf()
      const attempt = { action: 'session.create', way: 'key', requestId } as const
      const { subject, ...session } = await auditRefusedSignIn(audit, attempt, () =>
        sessions.signIn(body.api_key.trim(), browser),
      )
      await auditSignIn(audit, attempt, subject)
      return new SessionResponse(await userInfo(db, subject), browser, session)
    },
  }),
  route({
    name: 'deleteSession',
    ignoresLimits: true,
    method: 'DELETE',
    path: '/auth/session',
    access: 'authenticated',
    tag: 'Sign-in',
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
  route({
    name: 'listSessions',
    method: 'GET',
    path: '/auth/sessions',
    access: 'pats',
    tag: 'Sign-in',
    summary: 'List own sessions',
    description: 'Lists at most 200 sessions of the person, with those of their keys, newest first.',
    reply: z.array(SessionSnapshot),
    services: ['sessions'],
    handle: async ({ subject, browser, services: { sessions } }) =>
      (await sessions.list(subject)).map((it) => sessionSnapshot(it, sessions.isCurrent(it, browser.session))),
  }),
  route({
    name: 'endSession',
    method: 'DELETE',
    path: '/auth/sessions/{session_id}',
    access: 'pats',
    tag: 'Sign-in',
    summary: 'End one of your sessions',
    audit: { action: 'session.delete', object: 'session_id' },
    params: z.object({ session_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['BROWSER_SESSION_NOT_FOUND'],
    services: ['sessions'],
    handle: async ({ params, subject, services: { sessions } }) => {
      await sessions.end(subject, params.session_id)
      return null
    },
  }),
  route({
    name: 'endOtherSessions',
    method: 'DELETE',
    path: '/auth/sessions',
    access: 'pats',
    tag: 'Sign-in',
    summary: 'End your other sessions',
    description: 'The session of this request goes on.',
    audit: { action: 'session.delete_others' },
    reply: EndedSessions,
    services: ['sessions'],
    handle: async ({ subject, browser, services: { sessions } }) => ({
      ended: await sessions.endOthers(subject, browser.session),
    }),
  }),
  route({
    name: 'changePassword',
    method: 'POST',
    path: '/password/change-password',
    access: 'pats',
    tag: 'Sign-in',
    summary: 'Change own password',
    description: 'Ends all sessions that the person has opened, and opens a new one.',
    audit: { action: 'person.password' },
    body: z
      .object({ old_password: passwordText(), new_password: passwordText() })
      .meta({ id: 'ChangePasswordRequest' }),
    bodyLimitBytes: 65_536,
    reply: z.null(),
    errors: ['LOGIN_BAD_CREDENTIALS', 'PASSWORD_UNFIT', 'NO_PERSON', 'TOO_MANY_ATTEMPTS', 'SERVICE_UNAVAILABLE'],
    services: ['accounts', 'sessions'],
    handle: async ({ body, subject, browser, services: { accounts, sessions } }) => {
      const { person_id } = subject
      if (person_id === null) throw new AppError('NO_PERSON')
      const { old_password: before, new_password: after } = body
      await accounts.changePassword(person_id, { before, after, address: browser.address })
      if (subject.credential.kind !== 'person') return null
      const session = await sessions.openForPerson(person_id, 'password', browser)
      return new SessionResponse(null, browser, { ...session, withWireCookie: true })
    },
  }),
  route({
    name: 'listSessionsOfPerson',
    method: 'GET',
    path: '/manage/admin/users/{user_id}/sessions',
    access: 'admin',
    tag: 'People',
    summary: 'List sessions of a person',
    description: 'Empty if nobody has the id.',
    params: PersonPath,
    reply: z.array(SessionSnapshot),
    services: ['sessions'],
    handle: async ({ params, browser, services: { sessions } }) =>
      (await sessions.listOfPerson(params.user_id)).map((it) =>
        sessionSnapshot(it, sessions.isCurrent(it, browser.session)),
      ),
  }),
  route({
    name: 'endSessionsOfPerson',
    method: 'DELETE',
    path: '/manage/admin/users/{user_id}/sessions',
    access: 'admin',
    tag: 'People',
    summary: 'End all sessions of a person',
    description: 'Their keys and their password stay valid.',
    audit: { action: 'person.end_sessions', object: 'user_id' },
    params: PersonPath,
    reply: EndedSessions,
    services: ['sessions'],
    handle: async ({ params, services: { sessions } }) => ({ ended: await sessions.endAllOfPerson(params.user_id) }),
  }),
  route({
    name: 'endSessionOfPerson',
    method: 'DELETE',
    path: '/manage/admin/users/{user_id}/sessions/{session_id}',
    access: 'admin',
    tag: 'People',
    summary: 'End one session of a person',
    audit: { action: 'person.end_session', object: 'user_id' },
    params: PersonPath.extend({ session_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['BROWSER_SESSION_NOT_FOUND'],
    services: ['sessions'],
    handle: async ({ params, services: { sessions } }) => {
      await sessions.endOfPerson(params.user_id, params.session_id)
      return null
    },
  }),
]
