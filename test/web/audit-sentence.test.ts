import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { routes } from '../../src/api/routes.ts'
import type { AuditEntry } from '../../src/client/schemas.ts'
import { auditObjectType } from '../../src/domain/audit.ts'
import { actionLabel, isAction } from '../../web/src/pages/audit/actions.ts'
import { auditSentence } from '../../web/src/pages/audit/sentence.ts'
import de from '../../web/src/text/de.json' with { type: 'json' }
import en from '../../web/src/text/en.json' with { type: 'json' }
import './english.ts'

const ACTIONS = Object.entries(en.admin.audit.actions).flatMap(([type, it]) =>
  Object.keys(it).map((verb) => `${type}.${verb}`),
)

test('every action that a route declares has texts', () => {
  const declared = new Set(routes.flatMap(({ audit }) => (audit === undefined ? [] : [audit.action])))
  assert.deepEqual(
    [...declared].filter((it) => !ACTIONS.includes(it)),
    [],
  )
})

/** These names are made of a part that is constant and another. */
const MADE = ['account_link.mail_', 'llm_provider.set_default_', 'llm_provider.unset_default_']

test('every text is of an action that the program names', () => {
  const source = globSync('src/{api,identity,sign-in,store}/**/*.ts')
    .map((it) => readFileSync(it, 'utf8'))
    .join('\n')
  const isNamed = (action: string) => source.includes(`'${action}'`) || MADE.some((it) => action.startsWith(it))
  assert.deepEqual(
    ACTIONS.filter((it) => !isNamed(it)),
    [],
  )
})

test('every action has a sentence, and its type a label', () => {
  const verbs = (texts: object) => Object.entries(texts).map(([type, it]) => [type, Object.keys(it)])
  for (const { admin } of [en, de]) assert.deepEqual(verbs(admin.audit.done), verbs(en.admin.audit.actions))
  assert.deepEqual(new Set(Object.keys(en.admin.audit.types)), new Set(ACTIONS.map(auditObjectType)))
})

test('the names in a sentence are marked in both languages, and an unknown object leaves no gap', () => {
  for (const action of ACTIONS) {
    const object_type = auditObjectType(action)
    for (const outcome of ['success', 'refused', 'failed'] as const) {
      const [known, unknown] = ['7', null].map((object_id) =>
        auditSentence({ ...ENTRY, action, object_type, object_id, outcome }),
      )
      assert.equal(known?.filter(({ is }) => is === 'actor').length, 1, action)
      assert.doesNotMatch(unknown?.map(({ text }) => text).join('') ?? '', /[_{}]|\(\)| {2}/, action)
    }
    assert.ok(isAction(action) && /^\p{Lu}/u.test(actionLabel(action)), action)
  }
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
    const parts = auditSentence({ ...ENTRY, ...change })
    assert.equal(parts.map(({ text }) => text).join(''), sentence)
  })
}
