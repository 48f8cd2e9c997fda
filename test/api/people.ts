// People who have joined by a link and signed in, for tests over HTTP.
import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { start } from './setup.ts'

type Api = Pick<Awaited<ReturnType<typeof start>>, 'ask' | 'ok'>
export const PASSWORD = 'correct horse battery staple'

/** The first session cookie of an answer. */
export function cookieOf(headers: Record<string, unknown>): string {
  const [cookie] = [headers['set-cookie'] ?? []].flat()
  assert.ok(cookie !== undefined, 'the answer has no cookie')
  return String(cookie).split(';', 1)[0]!
}

/** For `ask`: calls as the person. */
export const as = (cookie: string, headers: Record<string, string> = {}) => ({
  key: null,
  headers: { cookie, ...headers },
})

/** Invites a person, who sets `PASSWORD`. Returns their cookie and id. */
export async function joinAs(
  { ask, ok }: Api,
  email: string,
  more: object = {},
): Promise<{ cookie: string; id: string }> {
  const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: [email], ...more } })
  const token = invitations[0].link.split('#')[1]
  const reply = await ask('POST', '/auth/register', { key: null, body: { token, password: PASSWORD } })
  assert.equal(reply.status, 201, reply.text)
  return { cookie: cookieOf(reply.headers), id: reply.body.id }
}

const PERIOD_MS = 30_000

/** An authenticator app. Each code is new and within one period of the present time. */
export function createApp(uri: string): { code(): string } {
  const last = { step: 0 }
  const query = new URL(uri).searchParams
  const totp = new TOTP({ secret: query.get('secret')! })
  return {
    code() {
      const present = Math.floor(Date.now() / PERIOD_MS)
      last.step = Math.max(last.step + 1, present - 1)
      assert.ok(last.step <= present + 1, 'three codes are valid at a time: reset last_used_step')
      return totp.generate({ timestamp: last.step * PERIOD_MS })
    },
  }
}
