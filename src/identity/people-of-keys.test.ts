// The upgrade of records whose keys named people by address and groups by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import { accessForPerson } from '../domain/access.ts'
import { type Right, type Role, rightsOfKey, type Scope, type Subject } from '../domain/subject.ts'
import { createPeopleOfKeys } from '../store/identity/people-of-keys.ts'
import { listReadablePairs } from '../store/sources/cc-pairs.ts'
import { getAccess } from './access.ts'
import { openAccessTokens } from './keys/access-tokens.ts'
import { openApiKeys } from './keys/api-keys.ts'
import { generateKey, hashSecret } from './keys/key-format.ts'

const { db } = await temporaryDatabase()
const now = () => 1_000
const keys = openApiKeys({ db, adminApiKey: 'operator', now })
const tokens = openAccessTokens({ db, adminApiKey: 'operator', now })

interface OldKey {
  role: Role
  scopes?: Scope[]
  email: string | null
  groups: string[]
}
const OLD_KEYS: Record<string, OldKey> = {
  ann: { role: 'basic', email: 'ann@example.com', groups: ['sales', 'berlin'] },
  'ann, shouted': { role: 'curator', email: 'ANN@Example.com', groups: ['sales', 'board'] },
  'ann, narrow': { role: 'limited', scopes: ['search', 'metrics'], email: 'ann@example.com', groups: [] },
  jürgen: { role: 'admin', email: 'JÜRGEN@example.com', groups: ['board'] },
  'jürgen, basic': { role: 'basic', scopes: ['ingest'], email: 'jürgen@example.com', groups: [] },
  'not an address': { role: 'basic', email: 'intern', groups: [] },
  pipeline: { role: 'limited', scopes: ['ingest'], email: null, groups: ['sales'] },
  lonely: { role: 'basic', email: null, groups: [] },
}
const idOf = (name: string) => `0000000${Object.keys(OLD_KEYS).indexOf(name)}-0000-4000-8000-000000000000`

const secrets = new Map<string, string>()
for (const [name, { role, scopes, email, groups }] of Object.entries(OLD_KEYS)) {
  const { key, kid, secret, display } = generateKey('api_key')
  secrets.set(name, key)
  await db
    .insertInto('api_key')
    .values({
      ...{ kid, secret_hash: hashSecret(secret), display, name, role, user_id: idOf(name), created_at: 1 },
      scopes: scopes === undefined ? null : JSON.stringify(scopes),
      ...{ user_email: email, user_group_ids: JSON.stringify(groups) },
      ...{ expires_at: null, last_used_at: null, daily_token_limit: null },
    })
    .execute()
}

const source = { source: 'web', time_created: 1, time_updated: 1 }
const addPair = async (id: number, access_type: string, groups: string[]) => {
  const flow = { input_type: 'poll', access_type, connector_specific_config: '{}' }
  const times = { refresh_freq: null, prune_freq: null, indexing_start: null }
  await db
    .insertInto('connector')
    .values({ id, name: `connector ${id}`, ...source, ...flow, ...times })
    .execute()
  const owner = { admin_public: 0, curator_public: 0, user_id: null, user_email: null } as const
  await db
    .insertInto('credential')
    .values({ id, name: null, ...source, credential_json: '{}', ...owner })
    .execute()
  await db
    .insertInto('cc_pair')
    .values({
      ...{ connector_id: id, credential_id: id, name: `pair ${id}`, access_type, groups: JSON.stringify(groups) },
      ...{ status: 'ACTIVE', hidden: 0, creator: idOf('ann, shouted'), time_created: 1, closed_by: null },
    })
    .execute()
}
await addPair(11, 'private', ['sales'])
await addPair(12, 'private', ['board'])
await addPair(13, 'public', [])

const addQuery = (user_id: string, query: string, asked_at: number) =>
  db.insertInto('recent_query').values({ user_id, query, asked_at }).execute()
await addQuery(idOf('ann'), 'harbour', 5)
await addQuery(idOf('ann, shouted'), 'harbour', 9)
await addQuery(idOf('ann, shouted'), 'crane', 7)
await addQuery(idOf('lonely'), 'harbour', 1)
const addConsent = (owner: string, recipient_id: number) =>
  db.insertInto('passthrough_consent').values({ owner, recipient_kind: 'tool', recipient_id, given_at: 1 }).execute()
await addConsent('ann@example.com', 1)
await addConsent('deleted@example.com', 2)
await addConsent(idOf('lonely'), 3)
const addUsage = (user_id: string) =>
  db
    .insertInto('token_usage')
    .values({ day: '2026-01-01', user_id, model: 'm', input_tokens: 1, output_tokens: 1, calls: 1 })
    .execute()
await addUsage(idOf('ann'))
await addUsage(idOf('ann, shouted'))
await db
  .insertInto('document_set')
  .values({
    ...{ name: 'set', description: '', is_public: 0, time_created: 1, time_updated: 1, groups: '[]' },
    users: JSON.stringify([idOf('ann'), 'bob@example.com']),
  })
  .execute()

const report = await createPeopleOfKeys(db, 2)
const people = await db.selectFrom('person').selectAll().orderBy('email_key').execute()
const personOf = (email: string) => people.find((it) => it.email_key === email)
const ann = personOf('ann@example.com')
const subjectOf = async (name: string): Promise<Subject> => {
  const subject = await keys.authenticate(secrets.get(name) ?? '')
  assert.ok(subject, name)
  return subject
}

for (const [name, { role, scopes, email, groups }] of Object.entries(OLD_KEYS)) {
  test(`the key "${name}" has the rights and reads the documents that it had and read before`, async () => {
    const subject = await subjectOf(name)
    const before = accessForPerson({ email, groups }, await listReadablePairs(db, groups))
    assert.deepEqual([...(await getAccess(db, subject))].sort(), [...before].sort())
    // The person of such a key is a global curator, who may do in each group what its curators may.
    const added: Right[] = role === 'curator' && email !== null ? ['curate'] : []
    assert.deepEqual([...subject.rights].sort(), [...rightsOfKey(role, scopes ?? null), ...added].sort())
    assert.equal(subject.role, role)
  })
}

test('each address is one person with the highest role of the keys, and the groups of all of them', async () => {
  assert.deepEqual(
    people.map((it) => [it.email, it.email_key, it.role, it.is_active, it.is_verified]),
    [
      ['ann@example.com', 'ann@example.com', 'global_curator', 1, 0],
      ['deleted@example.com', 'deleted@example.com', 'basic', 1, 0],
      ['intern', 'intern', 'basic', 1, 0],
      ['JÜRGEN@example.com', 'jürgen@example.com', 'admin', 1, 0],
    ],
  )
  const groups = await db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['user_group.name', 'origin'])
    .where('person_id', '=', ann?.id ?? '')
    .orderBy('user_group.name')
    .execute()
  assert.deepEqual(
    groups.map((it) => `${it.name}: ${it.origin}`),
    ['berlin: manual', 'board: manual', 'sales: manual'],
  )
})

test('addresses that differ only in case are reported', () =>
  assert.deepEqual(report, {
    people: 4,
    groups: 3,
    merged: [ann?.id, personOf('jürgen@example.com')?.id],
  }))

test('a person owns everything that any of the keys created', async () => {
  const queries = await db.selectFrom('recent_query').selectAll().orderBy('user_id').orderBy('query').execute()
  assert.deepEqual(
    queries.filter((it) => it.user_id === ann?.id).map((it) => [it.query, it.asked_at]),
    [
      ['crane', 7],
      ['harbour', 9],
    ],
  )
  assert.equal(queries.length, 3)
  const pairs = await db.selectFrom('cc_pair').select('creator').where('id', '>', 1).execute()
  assert.deepEqual([...new Set(pairs.map((it) => it.creator))], [ann?.id])
  const consents = await db.selectFrom('passthrough_consent').select(['owner', 'recipient_id']).orderBy('id').execute()
  assert.deepEqual(
    consents.map((it) => it.owner),
    [ann?.id, personOf('deleted@example.com')?.id, idOf('lonely')],
  )
  const set = await db.selectFrom('document_set').select('users').where('name', '=', 'set').executeTakeFirstOrThrow()
  assert.deepEqual(JSON.parse(set.users), [ann?.id, 'bob@example.com'])
  assert.equal((await subjectOf('ann')).user_id, (await subjectOf('ann, shouted')).user_id)
})

test('tokens of language models are counted for each key as before', async () => {
  const usage = await db.selectFrom('token_usage').select('user_id').orderBy('user_id').execute()
  assert.deepEqual(
    usage.map((it) => it.user_id),
    [idOf('ann'), idOf('ann, shouted')],
  )
  assert.equal((await subjectOf('ann')).usage_id, idOf('ann'))
})

test('the upgrade runs once', async () => assert.equal(await createPeopleOfKeys(db, 3), null))

test('a key loses the groups that its person loses, and gets none that the person gets', async () => {
  const sales = await db.selectFrom('user_group').select('id').where('name', '=', 'sales').executeTakeFirstOrThrow()
  await db.deleteFrom('user_group_member').where('group_id', '=', sales.id).execute()
  assert.deepEqual((await subjectOf('ann')).groups, ['berlin'])
  assert.deepEqual((await subjectOf('ann, shouted')).groups, ['board'])
  assert.deepEqual((await subjectOf('pipeline')).groups, ['sales'])
  assert.deepEqual((await subjectOf('ann, narrow')).groups, [])
})

test('keys and tokens of a suspended person end, and work again afterwards', async () => {
  const subject = await subjectOf('ann')
  const { token } = await tokens.create(subject, { name: 'token', scopes: null, expires_at: null })
  const suspend = (is_active: 0 | 1) =>
    db
      .updateTable('person')
      .set({ is_active })
      .where('id', '=', ann?.id ?? '')
      .execute()
  await suspend(0)
  assert.equal(await keys.authenticate(secrets.get('ann') ?? ''), null)
  assert.equal(await tokens.authenticate(token), null)
  assert.equal(await keys.findSubject(subject.user_id), null)
  await suspend(1)
  assert.deepEqual((await subjectOf('ann')).groups, ['berlin'])
  assert.equal((await tokens.authenticate(token))?.user_id, ann?.id)
})

test('a key has no more rights than its person', async () => {
  await db.updateTable('person').set({ role: 'basic' }).where('email_key', '=', 'jürgen@example.com').execute()
  assert.deepEqual([...(await subjectOf('jürgen')).rights].sort(), [...rightsOfKey('basic', null)].sort())
  assert.deepEqual([...(await subjectOf('jürgen, basic')).rights], ['ingest', 'files'])
})
