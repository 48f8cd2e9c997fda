// Several processes over one PostgreSQL sign a new person in at the same time.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { waitFor } from '../server.ts'
import { assertOneAccount, assertOnePerson, makeProvider, signIn } from '../simultaneous-sign-ins.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

await onPostgres(async (server) => {
  let [db, other]: Database[] = []
  before(async () => {
    const url = await server.createDatabase()
    db = await open(url)
    other = await open(url)
  })
  after(async () => {
    await db?.close()
    await other?.close()
  })
  const isWaiting = async () => {
    const rows = await server.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
    return rows.length > 0
  }

  for (const [name, email] of [
    ['the same address', 'late@example.com'],
    ['a new address of the account', 'renamed@example.com'],
  ] as const) {
    test(`a sign-in with ${name} waits for the first one, and finds its person`, async () => {
      const provider = await makeProvider(db!)
      const account = { provider, subject: name, groups: ['porters'] }
      let second: ReturnType<typeof signIn> | undefined
      const first = await signIn(db!, { ...account, email: 'late@example.com' }, async () => {
        second = signIn(other!, { ...account, email })
        await waitFor(isWaiting, 'a sign-in that waits')
      })
      const found = await second
      assert.deepEqual([found?.person.id, found?.change], [first.person.id, 'known'])
      const people = db!.selectFrom('person').select('id').where('email_key', '=', email)
      assert.equal((await people.execute()).length, email === 'late@example.com' ? 1 : 0)
      await db!.deleteFrom('person_identity').execute()
    })
  }

  test('twelve sign-ins of one new person give one person', () => assertOnePerson(db!))
  test('one of two accounts with the same address is refused', () => assertOneAccount(db!))
})
