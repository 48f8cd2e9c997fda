// An administrator asks who may read a document. Each answer is compared with real searches of the person.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { seeded } from '../random.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, makeKey, makePair, alterRecord } = await start()

const GROUPS = ['alpha', 'beta', 'gamma', 'delta']
const PEOPLE = 12
const DOCUMENTS = 60
const emailOf = (at: number) => `Person${at}@example.com`
const keys: string[] = []
let pairs: { open: number; closed: number; synced: number }

interface Reason {
  kind: string
  effect: string
  detail: string
  group: { name: string; origin: string } | null
}

const explain = (document: string, person: string) =>
  ok('GET', `/admin/access?${new URLSearchParams({ document, person })}`)
const kindsOf = ({ reasons }: { reasons: Reason[] }, effect: string) =>
  reasons.filter((it) => it.effect === effect).map((it) => it.kind)
const closedTo = (emails: string[], groups: string[]) => ({
  is_public: false,
  external_user_emails: emails,
  external_user_group_ids: groups,
})

before(async () => {
  pairs = {
    open: await makePair('Open', { access_type: 'public' }),
    closed: await makePair('Closed', { access_type: 'private', groups: ['alpha', 'beta'] }),
    synced: await makePair('Synced', { access_type: 'private', groups: [] }),
  }
  await alterRecord(`update cc_pair set access_type = 'sync' where id = ${pairs.synced}`)
  const random = seeded(7)
  const some = <T>(items: readonly T[]) => items.filter(() => random() < 0.3)
  for (let at = 0; at < PEOPLE; at++) {
    const user_group_ids = some(GROUPS)
    await makeKey({ role: 'basic', user_email: emailOf(at), user_group_ids })
    keys.push(await makeKey({ role: 'basic', user_email: emailOf(at) }))
    if (random() < 0.3) {
      const values = `(${pairs.synced}, 'gamma', '${emailOf(at).toLowerCase()}')`
      await alterRecord(`insert into source_group_member (cc_pair_id, group_id, email) values ${values}`)
    }
  }
  const places = Object.values(pairs)
  const pushAt = (at: number) => {
    const emails = some(Array.from({ length: PEOPLE }, (_, person) => emailOf(person))).slice(0, 2)
    const lists = [{ ...closedTo([], []), is_public: true }, closedTo(emails, []), closedTo([], some(GROUPS)), null]
    const external_access = lists[Math.floor(random() * lists.length)] ?? null
    const document = documentOf(`cormorant ${at}`, { id: `d${at}`, ...(external_access && { external_access }) })
    return push(document, { cc_pair_id: places[at % places.length] })
  }
  await Promise.all(Array.from({ length: DOCUMENTS }, (_, at) => pushAt(at)))
})

test('for every document and person the answer agrees with a search, and has the reasons for it', async () => {
  let granted = 0
  const differences: string[] = []
  for (let person = 0; person < PEOPLE; person++) {
    const seen = new Set(await found('cormorant', keys[person]!))
    for (let at = 0; at < DOCUMENTS; at++) {
      const answer = await explain(`d${at}`, emailOf(person))
      const isExplained = answer.may_read === kindsOf(answer, 'grants').length > 0
      const isRefused = answer.may_read !== kindsOf(answer, 'prevents').length > 0
      if (answer.may_read) granted += 1
      const agrees = answer.may_read === seen.has(`d${at}`) && answer.can_find === answer.may_read
      if (!agrees || !isExplained || !isRefused) differences.push(`d${at} ${person} ${JSON.stringify(answer)}`)
    }
  }
  assert.deepEqual(differences, [])
  assert.ok(granted > 100 && granted < PEOPLE * DOCUMENTS - 100, `${granted} granted`)
})

test('each ground is named separately, with the origin of the group', async () => {
  await makeKey({ role: 'basic', user_email: 'both@example.com', user_group_ids: ['both'] })
  const values = `(${pairs.synced}, 'both', 'both@example.com')`
  await alterRecord(`insert into source_group_member (cc_pair_id, group_id, email) values ${values}`)
  await push(documentOf('both', { id: 'both', external_access: closedTo(['Both@example.com'], ['both']) }))
  const answer = await explain('both', 'BOTH@example.com')
  assert.deepEqual(kindsOf(answer, 'grants'), ['named_address', 'group', 'group'])
  assert.deepEqual(
    answer.reasons.flatMap((it: Reason) => (it.group === null ? [] : [it.group.origin])),
    ['manual', 'Synced'],
  )
  const byId = await explain('both', answer.person.id)
  assert.deepEqual(byId, answer)
})

test('a refusal says whether the list is empty, the source is silent, or the person is in no group', async () => {
  await push(documentOf('x', { id: 'empty', external_access: closedTo([], []) }))
  await push(documentOf('x', { id: 'silent' }), { cc_pair_id: pairs.synced })
  await push(documentOf('x', { id: 'grouped' }), { cc_pair_id: pairs.closed })
  await push(documentOf('x', { id: 'keys', external_access: closedTo([], ['robots']) }))
  await makeKey({ role: 'basic', user_group_ids: ['robots'] })
  await makeKey({ role: 'basic', user_email: 'none@example.com' })
  const refusals = []
  for (const id of ['empty', 'silent', 'grouped', 'keys']) {
    const answer = await explain(id, 'none@example.com')
    refusals.push([id, answer.may_read, ...answer.reasons.map((it: Reason) => it.kind)])
  }
  assert.deepEqual(refusals, [
    ['empty', false, 'named_nobody'],
    ['silent', false, 'source_says_nothing'],
    ['grouped', false, 'pair_closed'],
    ['keys', false, 'not_among_readers', 'only_keys'],
  ])
})

test('a suspended person and a deleted document prevent reading, and the grounds remain visible', async () => {
  await makeKey({ role: 'basic', user_email: 'away@example.com' })
  await push(documentOf('x', { id: 'leaving', external_access: closedTo(['away@example.com'], []) }))
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'away@example.com' } })
  const suspended = await explain('leaving', 'away@example.com')
  assert.deepEqual(
    [suspended.may_read, kindsOf(suspended, 'grants'), kindsOf(suspended, 'prevents')],
    [false, ['named_address'], ['person_suspended']],
  )
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: 'away@example.com' } })
  assert.equal((await explain('leaving', 'away@example.com')).may_read, true)
  await ok('DELETE', '/service-api/ingestion/leaving?wait_for=indexed')
  const deleted = await explain('leaving', 'away@example.com')
  assert.deepEqual([deleted.may_read, kindsOf(deleted, 'prevents')], [false, ['document_deleted']])
})

test('an upload and the management of connectors open nothing in searches', async () => {
  const key = await makeKey({ role: 'global_curator', user_email: 'manager@example.com' })
  await push(documentOf('x', { id: 'pushed', external_access: closedTo([], ['else']) }), {}, { key })
  const answer = await explain('pushed', 'manager@example.com')
  assert.equal(answer.may_read, false)
  assert.deepEqual(kindsOf(answer, 'note'), ['uploader', 'manages_documents'])
})

test('a document set that is closed to the person is named', async () => {
  const body = { name: 'Shelf', description: '', cc_pair_ids: [pairs.open], is_public: false, users: [], groups: [] }
  await ok('POST', '/manage/admin/document-set', { body })
  await push(documentOf('x', { id: 'set' }), { cc_pair_id: pairs.open })
  const { reasons } = await explain('set', emailOf(0))
  const note = reasons.find((it: Reason) => it.kind === 'document_set')
  assert.match(note.detail, /"Shelf", which is closed to the person/)
})

test('an unknown person or document is 404, and the lookup is audited without names', async () => {
  const codeOf = async (document: string, person: string) => {
    const { status, body } = await ask('GET', `/admin/access?${new URLSearchParams({ document, person })}`)
    return [status, (body as { error_code: string }).error_code]
  }
  assert.deepEqual(await codeOf('d0', 'nobody@example.com'), [404, 'PERSON_NOT_FOUND'])
  assert.deepEqual(await codeOf('never', emailOf(0)), [404, 'DOCUMENT_NOT_FOUND'])
  const { person } = await explain('d0', emailOf(0))
  const entries = await ok('GET', '/admin/audit?action=access.explain&limit=1')
  assert.deepEqual([entries[0].object_id, entries[0].fields], [person.id, ['document', 'person']])
})
