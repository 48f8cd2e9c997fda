import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import { noopMeter } from '../../domain/meter.ts'
import { EgressError } from '../../egress/egress.ts'
import { errorBody, sendError } from './error-response.ts'

const lines: object[] = []
const note = (facts: object) => void lines.push(facts)
const logger = { debug: note, info: note, warn: note, error: note }

const request = { id: 'a request', url: '/search?query=canary', routeOptions: { url: '/search' } } as FastifyRequest

function answerTo(error: Error, headers: object = {}): { status: number; body: unknown } {
  const answer = { status: 200, body: '' }
  const reply = {
    headers: (more: object) => {
      Object.assign(headers, more)
      return reply
    },
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
  sendError(error, request, reply as unknown as FastifyReply, { logger, meter: noopMeter })
  return { status: answer.status, body: JSON.parse(answer.body) }
}

const calls: [error: EgressError, status: number, code: string, detail: string][] = [
  [
    new EgressError('private', 'wiki.corp', { wayOut: 'To allow it, start the service with EGRESS_ALLOW=wiki.corp.' }),
    400,
    'EGRESS_REFUSED',
    'The outbound request was refused: wiki.corp is not on the public internet. To allow it, start the service with EGRESS_ALLOW=wiki.corp.',
  ],
  [
    new EgressError('connect', 'wiki.corp', { port: 443 }),
    424,
    'EGRESS_FAILED',
    'The outbound request failed: There is no connection to wiki.corp on port 443.',
  ],
  [
    new EgressError('time', 'wiki.corp', { limit: 60_000 }),
    424,
    'EGRESS_LIMIT',
    'The outbound request was aborted: wiki.corp did not answer completely within 60000 ms.',
  ],
]
for (const [error, status, error_code, detail] of calls) {
  test(`an egress error ${error.code} is answered ${status} and not logged as our error`, () => {
    assert.deepEqual(answerTo(error), { status, body: { error_code, detail } })
    assert.deepEqual(lines, [])
  })
}

test('an unreadable setting is an internal error; its message is only logged', () => {
  const { status, body } = answerTo(new EgressError('setting', 'EGRESS_PROXY must be an address.'))
  assert.deepEqual([status, (body as { error_code: string }).error_code], [500, 'INTERNAL_ERROR'])
  assert.equal(lines.length, 1)
  assert.doesNotMatch(JSON.stringify(lines), /canary/)
})

const systemError = (code: string) => Object.assign(new Error(`${code}: no more, open '/data/x'`), { code })
const wants: [error: Error, code: string][] = [
  [systemError('EMFILE'), 'OUT_OF_FILES'],
  [systemError('ENFILE'), 'OUT_OF_FILES'],
  [new Error('it cannot be read', { cause: systemError('EMFILE') }), 'OUT_OF_FILES'],
  [new EgressError('connect', 'wiki.corp', { port: 443 }, { cause: systemError('EMFILE') }), 'OUT_OF_FILES'],
  [systemError('ENOSPC'), 'STORE_FULL'],
  [systemError('EDQUOT'), 'STORE_FULL'],
]

for (const [error, code] of wants) {
  test(`${error.message.slice(0, 18)} is a temporary shortage: 503 ${code}`, () => {
    const { status, body } = answerTo(error)
    assert.deepEqual([status, (body as { error_code: string }).error_code], [503, code])
  })
}

test('Retry-After is the wait that the error knows, else that of its code', () => {
  for (const [error, seconds] of [
    [new AppError('TOO_MANY_ATTEMPTS', { seconds: 512 }), 512],
    [new AppError('QUEUE_FULL'), 5],
    [new AppError('NOT_FOUND'), undefined],
  ] as const) {
    const headers: Record<string, string> = {}
    answerTo(error, headers)
    assert.equal(headers['retry-after'], seconds?.toString())
    assert.equal('retry_after' in errorBody(error, request, logger), seconds !== undefined)
  }
})
