import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertOneAccount, assertOnePerson } from '../../test/simultaneous-sign-ins.ts'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import type { AuditedAction } from '../domain/audit.ts'
import type { ProviderPolicy } from '../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../domain/sign-in/verified-identity.ts'
import type { Role } from '../domain/subject.ts'
import { openAccessTokens } from '../identity/keys/access-tokens.ts'
import { openApiKeys } from '../identity/keys/api-keys.ts'
import { openSessions } from '../identity/sessions.ts'
import { insertGroup } from '../store/identity/change-group.ts'
import { changePerson } from '../store/identity/change-person.ts'
import { listMemberships } from '../store/identity/groups.ts'
import { findPersonByEmail, insertPerson } from '../store/identity/people.ts'
import { endProviderSessions, findProviderSession } from '../store/identity/providers/provider-sessions.ts'
import { deleteProvider, findVerdict, insertProvider } from '../store/identity/providers/sign-in-providers.ts'
import { createKeyRing, deriveSecretKey } from '../store/secrets/key-ring.ts'
import { createSecretBox } from '../store/secrets/secret-box.ts'
import { DAY_MS } from '../wire/date-time.ts'
import { openPendingSignIns, PENDING_MS } from './pending-sign-ins.ts'
import type { ProvisioningProvider } from './provision.ts'
import { openSignIns } from './sign-ins.ts'

const { db } = await temporaryDatabase()
const secrets = createSecretBox(createKeyRing([], deriveSecretKey('a secret key for this test', 'SECRET_KEY')))
let time = 1_000_000
const now = () => time
const tokens = openAccessTokens({ db, adminApiKey: 'operator', now })
const keys = openApiKeys({ db, adminApiKey: 'operator', now })
const lifetimes = { maxMs: 30 * DAY_MS, idleMs: 7 * DAY_MS }
const sessions = openSessions({ db, keys, tokens, lifetimes, now })
const acts: AuditedAction[] = []
const record = async (act: AuditedAction) => void acts.push(act)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const signIns = openSignIns({ db, secrets, sessions, audit: { record, recordRefusal: record }, logger, now })
const pending = openPendingSignIns({ db, secrets, now })

const POLICY: ProviderPolicy = {
  email_claim: 'email',
  email_verified_claim: 'email_verified',
  name_claim: 'name',
  groups_claim: 'groups',
  roles_claim: 'groups',
  creates_people: true,
  allowed_domains: [],
  trusts_emails: false,
  default_role: 'basic',
  role_mapping: [],
  group_prefix: '',
}
let count = 0
async function makeProvider(policy: Partial<ProviderPolicy> = {}): Promise<ProvisioningProvider> {
  const settings = { ...POLICY, ...policy }
  const columns = { type: 'oidc', slug: `provider-${count++}`, name: 'Provider' } as const
  const id = await insertProvider({ db, secrets }, { ...columns, is_enabled: true, settings, secrets: null }, now())
  return { ...columns, id, settings }
}
const identityOf = (subject: string, more: Partial<VerifiedIdentity> = {}): VerifiedIdentity => ({
  ...{
    subject,
    email: `${subject}@example.com`,
    email_verified: true,
    name: subject,
    groups: [],
    roles: [],
    claims: {},
  },
  ...more,
})
const client = { address: '192.0.2.1', userAgent: 'test' }
const complete = (provider: ProvisioningProvider, identity: VerifiedIdentity) =>
  signIns.complete({ provider, identity, client, requestId: 'r', sid: `sid of ${identity.subject}`, id_token: 'proof' })
const makePerson = (email: string, role: Role = 'basic') =>
  insertPerson(db, { email, name: null, role, is_verified: false, password_hash: null }, now())
const personOf = async (email: string) => (await findPersonByEmail(db, email)) ?? assert.fail(`nobody is ${email}`)
const groupsOf = async (email: string) => (await listMemberships(db, (await personOf(email)).id)).map((it) => it.name)
const refused = (signIn: Promise<unknown>, failure: string) =>
  assert.rejects(signIn, (error) => error instanceof SignInError && error.failure === failure)

test('a sign-in creates the person once, and opens sessions', async () => {
  const provider = await makeProvider()
  const first = await complete(provider, identityOf('new'))
  assert.equal((await sessions.authenticate(first.token))?.email, 'new@example.com')
  const second = await complete(provider, identityOf('new', { email: null }))
  assert.equal(second.subject.person_id, first.subject.person_id)
  assert.equal((await personOf('new@example.com')).is_verified, 1)
})

test('a person is found by a verified address, and by the account from then on', async () => {
  const provider = await makeProvider()
  const { id } = await makePerson('Known@example.com')
  assert.equal((await complete(provider, identityOf('x', { email: 'known@EXAMPLE.com' }))).subject.person_id, id)
  assert.equal((await complete(provider, identityOf('x', { email: 'moved@example.com' }))).subject.person_id, id)
  assert.equal(await findPersonByEmail(db, 'moved@example.com'), undefined)
})

test('an address that is not verified finds no person, also at a provider that is trusted', async () => {
  await makePerson('victim@example.com', 'admin')
  for (const trusts_emails of [false, true]) {
    const provider = await makeProvider({ trusts_emails })
    const attack = identityOf('eve', { email: 'victim@example.com', email_verified: false })
    await refused(complete(provider, attack), 'email_unverified')
  }
})

test('an address that is not verified creates a person only at a provider that is trusted', async () => {
  const identity = identityOf('unverified', { email_verified: false })
  await refused(complete(await makeProvider(), identity), 'email_unverified')
  assert.equal(await findPersonByEmail(db, 'unverified@example.com'), undefined)
  await complete(await makeProvider({ trusts_emails: true }), identity)
})

test('an address that the provider gives to another account leads to nobody', async () => {
  const provider = await makeProvider()
  await complete(provider, identityOf('first', { email: 'reused@example.com' }))
  await refused(complete(provider, identityOf('second', { email: 'reused@example.com' })), 'other_account')
})

test('two providers may know the same person, each by its own account', async () => {
  const [one, two] = [await makeProvider(), await makeProvider()]
  const first = await complete(one, identityOf('same', { email: 'both@example.com' }))
  const second = await complete(two, identityOf('same', { email: 'both@example.com' }))
  const stranger = await complete(two, identityOf('first', { email: 'stranger@example.com' }))
  assert.equal(first.subject.person_id, second.subject.person_id)
  assert.notEqual(stranger.subject.person_id, first.subject.person_id)
})

test('only people of an allowed domain sign in, and only with verified addresses', async () => {
  const provider = await makeProvider({ allowed_domains: ['good.example'] })
  await complete(provider, identityOf('a', { email: 'a@GOOD.example' }))
  await refused(complete(provider, identityOf('b', { email: 'b@evil.example' })), 'domain_not_allowed')
  await refused(complete(provider, identityOf('c', { email: 'c@sub.good.example' })), 'domain_not_allowed')
  await refused(complete(provider, identityOf('a', { email: null })), 'email_missing')
  await refused(
    complete(provider, identityOf('d', { email: 'd@good.example', email_verified: false })),
    'email_unverified',
  )
})

test('a provider that creates nobody lets only people in who exist', async () => {
  const provider = await makeProvider({ creates_people: false })
  await refused(complete(provider, identityOf('nobody')), 'no_account')
  await makePerson('somebody@example.com')
  await complete(provider, identityOf('y', { email: 'somebody@example.com' }))
})

test('a suspended person does not sign in', async () => {
  const provider = await makeProvider()
  const { token } = await complete(provider, identityOf('suspended'))
  await changePerson(db, 'suspended@example.com', { is_active: false }, now())
  assert.equal(await sessions.authenticate(token), null)
  await refused(complete(provider, identityOf('suspended')), 'suspended')
})

test('each sign-in sets the groups of its origin, and no others', async () => {
  const provider = await makeProvider({ group_prefix: 'idp/' })
  const { id } = await makePerson('member@example.com')
  await insertGroup(db, { name: 'by hand', user_ids: [id], cc_pair_ids: [] }, now())
  const signIn = (groups: string[] | null) =>
    complete(provider, identityOf('m', { email: 'member@example.com', groups }))
  await signIn(['b', 'a'])
  assert.deepEqual(await groupsOf('member@example.com'), ['by hand', 'idp/a', 'idp/b'])
  await signIn(['c', 'a'])
  assert.deepEqual(await groupsOf('member@example.com'), ['by hand', 'idp/a', 'idp/c'])
  await signIn(null)
  assert.deepEqual(await groupsOf('member@example.com'), ['by hand', 'idp/a', 'idp/c'])
  await signIn([])
  assert.deepEqual(await groupsOf('member@example.com'), ['by hand'])
})

test('a provider adds nobody to groups of other origins', async () => {
  const [one, two] = [await makeProvider(), await makeProvider()]
  await insertGroup(db, { name: 'directors', user_ids: [], cc_pair_ids: [] }, now())
  await complete(one, identityOf('g1', { groups: ['of one'] }))
  await complete(two, identityOf('g2', { groups: ['directors', 'of one', 'Admin', 'of two'] }))
  assert.deepEqual(await groupsOf('g2@example.com'), ['of two'])
})

test('the highest mapped role is set at each sign-in', async () => {
  const role_mapping = [
    { value: 'staff', role: 'basic' as const },
    { value: 'bosses', role: 'admin' as const },
  ]
  const provider = await makeProvider({ role_mapping, default_role: 'limited' })
  await complete(await makeProvider({ role_mapping }), identityOf('other-boss', { roles: ['bosses'] }))
  const roleAfter = async (roles: string[]) => (await complete(provider, identityOf('r', { roles }))).subject.role
  assert.equal(await roleAfter(['staff', 'bosses']), 'admin')
  assert.equal(await roleAfter(['staff']), 'basic')
  assert.equal(await roleAfter([]), 'limited')
})

test('without a mapping the role stays as administrators set it', async () => {
  const provider = await makeProvider()
  await complete(provider, identityOf('promoted'))
  await changePerson(db, 'promoted@example.com', { role: 'global_curator' }, now())
  assert.equal((await complete(provider, identityOf('promoted'))).subject.role, 'global_curator')
})

test('a mapping never removes the last administrator', async () => {
  await db.updateTable('person').set({ role: 'basic' }).execute()
  const provider = await makeProvider({ role_mapping: [{ value: 'bosses', role: 'admin' }] })
  await complete(provider, identityOf('last', { roles: ['bosses'] }))
  assert.equal((await complete(provider, identityOf('last'))).subject.role, 'admin')
  await complete(provider, identityOf('next', { roles: ['bosses'] }))
  assert.equal((await complete(provider, identityOf('last'))).subject.role, 'basic')
})

test('a test tells what a sign-in would do, and changes nothing', async () => {
  const provider = await makeProvider({ group_prefix: 'tested/' })
  const counts = async () => ({
    people: (await db.selectFrom('person').selectAll().execute()).length,
    groups: (await db.selectFrom('user_group').selectAll().execute()).length,
    links: (await db.selectFrom('person_identity').selectAll().execute()).length,
  })
  const before = await counts()
  const verdict = await signIns.test(provider, identityOf('tested', { groups: ['x'], claims: { sub: 'tested' } }))
  assert.deepEqual([verdict.failure, verdict.result?.change, verdict.result?.groups], [null, 'created', ['tested/x']])
  assert.deepEqual(await counts(), before)
  const refusal = await signIns.test(provider, identityOf('unsure', { email_verified: false }))
  assert.deepEqual([refusal.failure, refusal.result], ['email_unverified', null])
  assert.deepEqual((await findVerdict(db, provider.id))?.verdict, refusal)
  time += 3_600_001
  await signIns.maintain()
  assert.equal(await findVerdict(db, provider.id), undefined)
})

test('the audit names what a sign-in changed, and why it failed', async () => {
  const provider = await makeProvider()
  acts.length = 0
  await complete(provider, identityOf('audited', { groups: ['audited'] }))
  assert.deepEqual(
    acts.map((it) => it.action),
    ['person.create', 'person.groups', 'session.create'],
  )
  acts.length = 0
  const error = new SignInError('no_account')
  await signIns.fail({ provider, purpose: 'sign_in', requestId: 'r', error, detail: null })
  assert.deepEqual(
    acts.map((it) => [it.action, it.outcome, it.fields]),
    [['session.create', 'refused', ['no_account']]],
  )
})

test('a logout ends the sessions of one session of the provider, or all of the account', async () => {
  const provider = await makeProvider()
  const open = (sid: string | null) =>
    signIns.complete({ provider, identity: identityOf('out'), client, requestId: 'r', sid, id_token: 'proof' })
  const [one, two, three] = [await open('1'), await open('2'), await open('3')]
  assert.equal((await findProviderSession({ db, secrets }, one.id))?.id_token, 'proof')
  const alive = async () =>
    Promise.all([one, two, three].map(async ({ token }) => (await sessions.authenticate(token)) !== null))
  const target = { provider_id: provider.id, subject: 'out' }
  assert.equal(await endProviderSessions(db, { ...target, sid: '2' }), 1)
  assert.deepEqual(await alive(), [true, false, true])
  assert.equal(await endProviderSessions(db, { ...target, subject: 'another', sid: '1' }), 0)
  assert.equal(await endProviderSessions(db, { provider_id: provider.id + 1, subject: 'out', sid: null }), 0)
  assert.equal(await endProviderSessions(db, { ...target, sid: null }), 2)
  assert.deepEqual(await alive(), [false, false, false])
})

test('deleting a provider ends its sessions, and leaves its groups to administrators', async () => {
  const provider = await makeProvider()
  const { token } = await complete(provider, identityOf('left', { groups: ['left behind'] }))
  await deleteProvider(db, provider.id, now())
  assert.equal(await sessions.authenticate(token), null)
  const group = db.selectFrom('user_group').select('origin').where('name', '=', 'left behind')
  assert.equal((await group.executeTakeFirst())?.origin, 'manual')
  assert.deepEqual(await groupsOf('left@example.com'), ['left behind'])
})

test('twelve sign-ins of one new person give one person', () => assertOnePerson(db))
test('one of two accounts with the same address is refused', () => assertOneAccount(db))

test('a pending sign-in works once, before it expires, and only in its browser', async () => {
  const { id } = await makeProvider()
  const signIn = {
    provider_id: id,
    purpose: 'sign_in',
    next_path: '/',
    details: { nonce: 'n' },
    address: '::1',
  } as const
  const one = await pending.begin('state 1', signIn)
  const two = await pending.begin('state 2', signIn)
  await refused(pending.take('state 1', two.browserToken), 'state')
  await refused(pending.take('state 1', undefined), 'state')
  await refused(pending.take(undefined, one.browserToken), 'state')
  assert.equal((await pending.take('state 1', one.browserToken)).details.nonce, 'n')
  await refused(pending.take('state 1', one.browserToken), 'state')
  time += PENDING_MS
  await refused(pending.take('state 2', two.browserToken), 'state')
})
