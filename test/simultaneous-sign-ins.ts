// Sign-ins of one new person at the same time, over either database.
import assert from 'node:assert/strict'
import type { ProviderPolicy } from '../src/domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../src/domain/sign-in/verified-identity.ts'
import { type Provisioned, provision } from '../src/sign-in/provision.ts'
import type { Database } from '../src/store/database/database.ts'
import { listMemberships } from '../src/store/identity/groups.ts'
import { insertProvider } from '../src/store/identity/providers/sign-in-providers.ts'
import { createKeyRing, deriveSecretKey } from '../src/store/secrets/key-ring.ts'
import { createSecretBox } from '../src/store/secrets/secret-box.ts'

const secrets = createSecretBox(createKeyRing([], deriveSecretKey('a secret key for this test', 'SECRET_KEY')))
const settings: ProviderPolicy = {
  ...{ email_claim: 'email', email_verified_claim: 'email_verified', name_claim: 'name' },
  ...{ groups_claim: 'groups', roles_claim: null, creates_people: true, allowed_domains: [], trusts_emails: false },
  ...{ default_role: 'basic', role_mapping: [], group_prefix: '' },
}
let count = 0

/** Inserts a provider and returns its id. */
export async function makeProvider(db: Database): Promise<number> {
  const columns = { type: 'oidc', slug: `simultaneous-${count++}`, name: 'Provider' } as const
  return insertProvider({ db, secrets }, { ...columns, is_enabled: true, settings, secrets: null }, 1)
}

interface SignIn {
  provider: number
  subject: string
  email: string
  groups?: readonly string[]
}

/** `beforeCommit` runs when everything of the sign-in is written, and nothing is visible to others. */
export const signIn = (
  db: Database,
  { provider, subject, email, groups = [] }: SignIn,
  beforeCommit: () => Promise<unknown> = async () => {},
): Promise<Provisioned> =>
  db.transaction().execute(async (trx) => {
    const identity: VerifiedIdentity = {
      ...{ subject, email, email_verified: true, name: subject, groups, roles: [], claims: {} },
    }
    const done = await provision(trx, { provider_id: provider, origin: 'oidc:same', settings }, identity, 1)
    await beforeCommit()
    return done
  })

export async function assertOnePerson(db: Database): Promise<void> {
  const [first, second] = [await makeProvider(db), await makeProvider(db)]
  const names = ['blue', 'green', 'red']
  const signIns = Array.from({ length: 12 }, (_, at) => ({
    provider: at % 2 === 0 ? first : second,
    ...{ subject: 'twelve', email: 'twelve@example.com', groups: at % 3 === 0 ? names : names.toReversed() },
  }))
  const results = await Promise.all(signIns.map((it) => signIn(db, it)))
  const ids = new Set(results.map((it) => it.person.id))
  assert.equal(ids.size, 1)
  assert.deepEqual(
    results
      .map((it) => it.change)
      .filter((it) => it !== 'known')
      .sort(),
    ['created', 'linked'],
  )
  const [id = ''] = ids
  assert.deepEqual((await listMemberships(db, id)).map((it) => it.name).sort(), names)
}

export async function assertOneAccount(db: Database): Promise<void> {
  const provider = await makeProvider(db)
  const email = 'shared@example.com'
  const results = await Promise.allSettled(['one', 'two'].map((subject) => signIn(db, { provider, subject, email })))
  const refused = results.filter((it) => it.status === 'rejected').map((it) => it.reason)
  assert.equal(refused.length, 1)
  assert.ok(refused[0] instanceof SignInError && refused[0].failure === 'other_account', String(refused[0]))
}
