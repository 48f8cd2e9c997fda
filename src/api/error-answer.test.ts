import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { silentMeter } from '../domain/meter.ts'
import { EgressError } from '../egress/egress.ts'
import { answerError } from './error-answer.ts'

const lines: object[] = []
const note = (facts: object) => void lines.push(facts)
const logger = { debug: note, info: note, warn: note, error: note }

function answerTo(error: Error): { status: number; body: unknown } {
  const answer = { status: 200, body: '' }
  const reply = {
    header: () => reply,
    code: (status: number) => {
      answer.status = status
      return reply
    },
    send: (body: string) => {
      answer.body = body
      return reply
    },
  }
  answerError(
    error,
    { id: 'a request', url: '/search?query=canary', routeOptions: { url: '/search' } } as FastifyRequest,
    reply as unknown as FastifyReply,
    { logger, meter: silentMeter },
  )
  return { status: answer.status, body: JSON.parse(answer.body) }
}

const calls: [error: EgressError, status: number, code: string, detail: string][] = [
  [
    new EgressError('private', 'wiki.corp', { wayOut: 'To allow it, start the service with EGRESS_ALLOW=wiki.corp.' }),
    400,
    'EGRESS_REFUSED',
    'The address is not called: wiki.corp is not on the public internet. To allow it, start the service with EGRESS_ALLOW=wiki.corp.',
  ],
  [
    new EgressError('connect', 'wiki.corp', { port: 443 }),
    424,
    'EGRESS_FAILED',
    'The call failed: There is no connection to wiki.corp on port 443.',
  ],
  [
    new EgressError('time', 'wiki.corp', { limit: 60_000 }),
    424,
    'EGRESS_LIMIT',
    'The call was given up: wiki.corp did not answer completely within 60000 ms.',
  ],
]
for (const [error, status, error_code, detail] of calls) {
  test(`a call that ends with ${error.code} is the answer ${status}, and no error of ours`, () => {
    assert.deepEqual(answerTo(error), { status, body: { error_code, detail } })
    assert.deepEqual(lines, [])
  })
}

test('a setting that cannot be read is an error of ours, whose words stay in the log', () => {
  const { status, body } = answerTo(new EgressError('setting', 'EGRESS_PROXY must be an address.'))
  assert.deepEqual([status, (body as { error_code: string }).error_code], [500, 'INTERNAL_ERROR'])
  assert.equal(lines.length, 1)
  assert.doesNotMatch(JSON.stringify(lines), /canary/)
})
