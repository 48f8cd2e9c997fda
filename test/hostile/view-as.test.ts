// An administrator searches as twenty people. Each answer is that of the person's own search, and nothing of it stays behind.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { as, joinAs } from '../api/people.ts'
import { documentOf, start } from '../api/setup.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled } from '../server.ts'

const PEOPLE = 20
const GROUPS = 6
const DOCUMENTS = 300
const { server, ask, ok, makePair, makeKey } = await start({ LOG_LEVEL: 'trace' })
const random = seeded(chooseSeed((line) => process.stdout.write(`${line}\n`)))
const people: { id: string; email: string; cookie: string }[] = []
const SEARCH_AS = '/admin/access/search-as'

const readersOf = (at: number) => ({
  is_public: at % 40 === 0,
  external_user_emails: at % 10 === 3 ? [`person${at % PEOPLE}@example.com`] : [],
  external_user_group_ids: at % 10 === 3 ? [] : [`crew${at % GROUPS}`],
})

before(async () => {
  await ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
  for (let at = 0; at < PEOPLE; at++) {
    const email = `person${at}@example.com`
    people.push({ email, ...(await joinAs({ ask, ok }, email)) })
  }
  const pairs: number[] = []
  for (let group = 0; group < GROUPS; group++) {
    const name = `crew${group}`
    const user_ids = people.filter(() => random() < 0.35).map((it) => it.id)
    await ok('POST', '/manage/admin/user-group', { body: { name, user_ids } })
    const id = await makePair(`Pair of ${name}`, { access_type: 'private', groups: [name] })
    pairs.push(id)
    const set = { name: `Set of ${name}`, description: '', cc_pair_ids: [id], users: [], is_public: false }
    await ok('POST', '/manage/admin/document-set', { body: { ...set, groups: [name] } })
  }
  const lines = Array.from({ length: DOCUMENTS }, (_, at) => {
    const text = `The harbour report number${at} of the cranes by crew ${at % GROUPS}.`
    const more = { id: `d${at}`, source: `desk${at % 4}`, metadata: { team: `team${at % 7}` } }
    const external_access = at % 5 === 4 ? null : readersOf(at)
    return JSON.stringify({
      document: documentOf(text, { ...more, ...(external_access && { external_access }) }),
      cc_pair_id: pairs[at % GROUPS],
    })
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, text } = await ask('POST', '/service-api/ingestion/batch', { bytes: lines.join('\n'), headers })
  assert.equal(status, 200)
  assert.doesNotMatch(text, /"error"/)
  await settled(server)
})

const SEARCHES = [
  { query: 'harbour report', num_hits: 100 },
  { query: 'cranes', sort: 'date', num_hits: 30 },
  { query: 'harbor reprot' },
  { query: 'report set:"Set of crew2"' },
  { query: 'report', document_sets: ['Set of crew1'] },
  { query: 'report', tags: [{ tag_key: 'team', tag_value: 'team3' }], sources: ['desk1'] },
  { query: 'number13' },
] as const

test('for twenty people, a search as the person answers no more and no less than their own search', async () => {
  const differences: string[] = []
  const totals = new Set<number>()
  for (const { id, email, cookie } of people) {
    for (const [at, body] of SEARCHES.entries()) {
      const own = await ok('POST', '/search', { ...as(cookie), body: { ...body, record: false } })
      const viewed = await ok('POST', SEARCH_AS, { body: { ...body, person: at % 2 === 0 ? id : email.toUpperCase() } })
      const { person, ...answer } = viewed
      assert.deepEqual(person, { id, email, role: 'basic' })
      // Only the own search can fold copies, and this one does not.
      assert.ok(own.results.every((it: { similar: unknown }) => it.similar === null))
      const results = own.results.map(({ similar: _, similar_count: _count, ...it }: Record<string, unknown>) => it)
      const expected = Object.fromEntries(Object.keys(answer).map((name) => [name, { ...own, results }[name]]))
      totals.add(own.total)
      if (JSON.stringify(answer) !== JSON.stringify(expected)) differences.push(`${email} ${JSON.stringify(body)}`)
    }
  }
  assert.deepEqual(differences, [])
  assert.ok(totals.size > 10, `only ${totals.size} different totals`)
})

/** Reading the analytics writes the queries that still wait. */
const countSearches = async (): Promise<number> => (await ok('GET', '/admin/relevance/queries?days=1')).searches

function filesWith(text: string): string[] {
  const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  return files.filter((it) => readFileSync(join(it.parentPath, it.name)).includes(text)).map((it) => it.name)
}

test('a search as a person stays neither in their history nor in analytics, files or the log', async () => {
  const { id, email, cookie } = people[0]!
  // The export has the audit entries about the person as well; the next test is about these.
  const exported = async () =>
    (await ask('GET', `/admin/person/${email}/export`)).text
      .split('\n')
      .filter((it) => !/^\{"kind":"(?:person|audit_entry|end)"/.test(it))
  const own = { query: 'harbour ownquokka', remember: true }
  await ok('POST', '/search', { ...as(cookie), body: own })
  const [searches, lines] = [await countSearches(), await exported()]
  assert.ok(searches > 0 && filesWith('ownquokka').length > 0 && lines.join().includes('ownquokka'))
  await ok('POST', SEARCH_AS, { body: { person: id, query: 'harbour viewedquokka' } })
  assert.equal(await countSearches(), searches)
  assert.deepEqual(await exported(), lines)
  const { recent } = await ok('POST', '/search/suggest', { ...as(cookie), body: { query: '' } })
  assert.deepEqual(recent, ['harbour ownquokka'])
  assert.deepEqual(filesWith('viewedquokka'), [])
  assert.doesNotMatch(server.output(), /viewedquokka/)
})

test('the audit has who searched, as whom and the number of results, and no text', async () => {
  const [person] = people
  const { results } = await ok('POST', SEARCH_AS, { body: { person: person!.email, query: 'harbour' } })
  const [entry] = await ok('GET', '/admin/audit?action=access.viewed_as&limit=1')
  assert.deepEqual(
    [entry.object_id, entry.outcome, entry.fields],
    [person!.id, 'success', ['person', 'query', `${results.length} results`]],
  )
  assert.equal(entry.object_email, person!.email)
  assert.doesNotMatch(JSON.stringify(entry), /harbour/)
})

const codeOf = async (body: object, more: object = {}) => {
  const reply = await ask('POST', SEARCH_AS, { body: { query: 'harbour', ...body }, ...more })
  assert.ok(!('results' in reply.body), reply.text)
  return [reply.status, (reply.body as { error_code?: string }).error_code]
}

test('a suspended, a limited and an unknown person find nothing, and the answer says why', async () => {
  const { email, id } = people[1]!
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: email } })
  assert.deepEqual(await codeOf({ person: id }), [409, 'PERSON_SUSPENDED'])
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: email } })
  await ok('PATCH', '/manage/set-user-role', { body: { user_email: email, new_role: 'limited' } })
  assert.deepEqual(await codeOf({ person: id }), [409, 'PERSON_CANNOT_SEARCH'])
  assert.deepEqual(await codeOf({ person: 'nobody@example.com' }), [404, 'PERSON_NOT_FOUND'])
})

test('it takes neither a persona, an explanation nor a place in the history', async () => {
  for (const more of [{ persona_id: 0 }, { explain: true }, { remember: true }, { record: true }, { facets: true }]) {
    assert.equal((await codeOf({ person: people[2]!.id, ...more }))[0], 422, JSON.stringify(more))
  }
})

test('only administrators may do it, and only while the setting allows it', async () => {
  const { id, email, cookie } = people[3]!
  assert.deepEqual(await codeOf({ person: people[4]!.id }, as(cookie)), [403, 'INSUFFICIENT_PERMISSIONS'])
  for (const new_role of ['curator', 'global_curator']) {
    await ok('PATCH', '/manage/set-user-role', { body: { user_email: email, new_role } })
    assert.deepEqual(await codeOf({ person: id }, as(cookie)), [403, 'INSUFFICIENT_PERMISSIONS'])
  }
  const key = await makeKey({ role: 'admin', user_email: 'chief@example.com' })
  const { token } = await ok('POST', '/user/pats', { key, body: { name: 'all' } })
  assert.deepEqual(await codeOf({ person: id }, { key: token }), [403, 'TOKEN_REFUSED'])
  await ok('PATCH', '/admin/settings', { body: { view_as_enabled: null } })
  assert.deepEqual(await codeOf({ person: id }), [403, 'VIEW_AS_DISABLED'])
  assert.deepEqual(await codeOf({ person: 'nobody@example.com' }), [403, 'VIEW_AS_DISABLED'])
  const [entry] = await ok('GET', '/admin/audit?action=access.viewed_as&limit=1')
  assert.deepEqual([entry.outcome, entry.error_code], ['refused', 'VIEW_AS_DISABLED'])
  assert.equal((await ok('GET', '/settings')).view_as_enabled, false)
})
