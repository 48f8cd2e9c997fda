import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import type { AuditEntry } from '../../src/client/schemas.ts'
import { auditObjectType } from '../../src/domain/audit.ts'
import { ACTIONS, OBJECT_TYPES, pastOf } from '../../web/src/pages/audit/actions.ts'
import { auditSentence } from '../../web/src/pages/audit/sentence.ts'

test('every action that a route declares has a phrase', () => {
  const declared = new Set(routes.flatMap(({ audit }) => (audit === undefined ? [] : [audit.action])))
  assert.deepEqual(
    [...declared].filter((it) => ACTIONS[it] === undefined),
    [],
  )
})

/** These names are made of a part that is constant and another. */
const MADE = ['account_link.mail_', 'llm_provider.set_default_']

test('every phrase is of an action that the program names', () => {
  const source = globSync('src/{api,identity,sign-in,store}/**/*.ts')
    .map((it) => readFileSync(it, 'utf8'))
    .join('\n')
  const isNamed = (action: string) => source.includes(`'${action}'`) || MADE.some((it) => action.startsWith(it))
  assert.deepEqual(
    Object.keys(ACTIONS).filter((it) => !isNamed(it)),
    [],
  )
})

test('every phrase has a past form, and its type a label', () => {
  for (const [action, phrase] of Object.entries(ACTIONS)) {
    assert.notEqual(pastOf(phrase), phrase.replace(/^(?:let|read) /, ''), phrase)
    assert.ok(OBJECT_TYPES[auditObjectType(action)] !== undefined, action)
  }
  const used = new Set(Object.keys(ACTIONS).map(auditObjectType))
  assert.deepEqual(new Set(Object.keys(OBJECT_TYPES)), used)
})

const ENTRY: AuditEntry = {
  ...{ id: 7, at: '2026-01-01T00:00:00Z', actor_id: 'x', api_key_id: null, actor_email: 'ann@example.com' },
  ...{ action: 'api_key.create', object_type: 'api_key', object_id: '3', object_email: null },
  ...{ outcome: 'success', error_code: null, fields: [], request_id: null, hash: '' },
}
const PERSON = 'person-00000000-0000-4000-8000-000000000001'
const SIGN_IN = { action: 'session.create', object_type: 'session', object_id: 'password' }

for (const [change, sentence] of [
  [{}, 'ann@example.com created the key 3.'],
  [{ outcome: 'refused' }, 'ann@example.com was not allowed to create the key 3.'],
  [
    { outcome: 'failed' },
    'ann@example.com tried to create the key 3. An internal error occurred: it may have happened or not.',
  ],
  [{ api_key_id: 4 }, 'ann@example.com (key 4) created the key 3.'],
  [{ actor_email: null, api_key_id: 4 }, 'The key 4 created the key 3.'],
  [{ actor_email: null }, 'A deleted person created the key 3.'],
  [{ actor_email: null, actor_id: '00000000-0000-4000-8000-000000000000' }, 'The operator’s key created the key 3.'],
  [
    { actor_email: null, actor_id: 'provider:okta', ...SIGN_IN, action: 'session.delete', object_id: '2 sessions' },
    'The sign-in provider okta ended a session (2 sessions).',
  ],
  [SIGN_IN, 'ann@example.com signed in (password).'],
  [{ ...SIGN_IN, object_id: null }, 'ann@example.com signed in.'],
  [
    { ...SIGN_IN, actor_email: null, actor_id: 'system', outcome: 'refused', error_code: 'SECOND_FACTOR_WRONG' },
    'A person could not sign in (password): the code was wrong.',
  ],
  [
    { action: 'person.role', object_type: 'person', object_id: PERSON, object_email: 'bea@example.com' },
    'ann@example.com changed the role of bea@example.com.',
  ],
  [
    { action: 'person.role', object_type: 'person', object_id: PERSON },
    'ann@example.com changed the role of a deleted person.',
  ],
  [
    { action: 'user_group.delete', object_type: 'user_group', object_id: '$&{}' },
    'ann@example.com deleted the group $&{}.',
  ],
  [
    { action: 'webhook.give_up_secret', object_type: 'webhook', actor_id: 'system', actor_email: null },
    'The service deleted a secret whose key is lost (Webhooks: 3).',
  ],
] as const) {
  test(sentence, () => {
    const { who, what } = auditSentence({ ...ENTRY, ...change })
    assert.equal(`${who} ${what}`, sentence)
  })
}
