// Random operations of administrators and curators, compared with a simple model of who may do what.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { createGroupSetup, type GroupPerson } from './people-of-groups.ts'
import { connectorOf, start } from './setup.ts'

const setup = await start()
const { ask, ok, makePair, alterRecord } = setup
const { makePerson, setCurator, addTo, groupId } = createGroupSetup(setup)

const OPERATIONS = 400
const GROUPS = ['red', 'green', 'blue']
const PEOPLE = ['pia', 'quinn', 'rosa', 'sam']

interface ModelPerson extends GroupPerson {
  member: Set<string>
  curator: Set<string>
}
interface Owned {
  id: number
  isPrivate: boolean
  groups: Set<string>
}
interface ModelPair extends Owned {
  connector: number
}

const people: ModelPerson[] = []
const pairs: ModelPair[] = []
const sets: Owned[] = []
let made = 0

before(async () => {
  for (const it of GROUPS) await groupId(it)
  for (const name of PEOPLE) people.push({ ...(await makePerson(name, {})), member: new Set(), curator: new Set() })
})

/** The whole rule. */
const manages = ({ curator }: ModelPerson, { isPrivate, groups }: Pick<Owned, 'isPrivate' | 'groups'>): boolean =>
  isPrivate && groups.size > 0 && groups.isSubsetOf(curator)
/** Without a group to curate, the routes are closed. */
const refusalFor = ({ curator }: ModelPerson): number => (curator.size === 0 ? 403 : 404)
const mayRead = ({ member }: ModelPerson, { isPrivate, groups }: Owned): boolean =>
  !isPrivate || !groups.isDisjointFrom(member)

let random: Random = seeded(0)
const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!
const pickGroups = (): Set<string> => new Set(GROUPS.filter(() => random() < 0.4))

/** Administrators do this. */
const CHANGES: (() => Promise<void>)[] = [
  async function join() {
    const [person, group] = [pick(people), pick(GROUPS)]
    await addTo(person.id, group)
    person.member.add(group)
  },
  async function setsCurator() {
    const [person, group] = [pick(people), pick(GROUPS)]
    if (!person.member.has(group)) return
    const isCurator = random() < 0.7
    await setCurator(person.id, group, isCurator)
    if (isCurator) person.curator.add(group)
    else person.curator.delete(group)
  },
  async function replacesGroup() {
    const group = pick(GROUPS)
    const members = people.filter((it) => it.member.has(group) && random() < 0.8)
    const named = pairs.filter(() => random() < 0.3)
    const body = { user_ids: members.map((it) => it.id), cc_pair_ids: named.map((it) => it.id) }
    await ok('PATCH', `/manage/admin/user-group/${await groupId(group)}`, { body })
    for (const it of people.filter((person) => !members.includes(person))) {
      it.member.delete(group)
      it.curator.delete(group)
    }
    for (const it of pairs) {
      if (named.includes(it)) it.groups.add(group)
      else it.groups.delete(group)
    }
  },
  async function makesPair() {
    const [groups, isPrivate] = [pickGroups(), random() < 0.8]
    const access_type = isPrivate ? 'private' : 'public'
    const id = await makePair(`Pair ${++made}`, { access_type, groups: [...groups] })
    const { connector } = await ok('GET', `/manage/admin/cc-pair/${id}`)
    pairs.push({ id, groups, isPrivate, connector: connector.id })
  },
  async function changesAccess() {
    if (pairs.length === 0) return
    const pair = pick(pairs)
    pair.isPrivate = !pair.isPrivate
    const access_type = pair.isPrivate ? 'private' : 'public'
    await alterRecord(`update cc_pair set access_type = '${access_type}' where id = ${pair.id}`)
  },
]

/** Curators try this. Each compares the answer with the model. */
const ATTEMPTS: ((person: ModelPerson) => Promise<void>)[] = [
  async function renamesPair(person) {
    if (pairs.length === 0) return
    const pair = pick(pairs)
    const path = `/manage/admin/cc-pair/${pair.id}/name?new_name=Renamed`
    const { status } = await ask('PUT', path, { key: person.key })
    assert.equal(status, manages(person, pair) ? 200 : refusalFor(person))
  },
  async function readsPair(person) {
    if (pairs.length === 0) return
    const pair = pick(pairs)
    const { status } = await ask('GET', `/manage/admin/cc-pair/${pair.id}`, { key: person.key })
    assert.equal(status, manages(person, pair) ? 200 : refusalFor(person))
  },
  async function changesConnector(person) {
    if (pairs.length === 0) return
    const pair = pick(pairs)
    const question = { key: person.key, body: connectorOf(`Connector ${++made}`) }
    const { status } = await ask('PATCH', `/manage/admin/connector/${pair.connector}`, question)
    assert.equal(status, manages(person, pair) ? 200 : refusalFor(person))
  },
  async function createsPair(person) {
    const { key } = person
    const created = await ask('POST', '/manage/admin/connector', { key, body: connectorOf(`Connector ${++made}`) })
    assert.equal(created.status, person.curator.size === 0 ? 403 : 200)
    if (created.status !== 200) return
    const connector = created.body.id
    const [groups, isPrivate] = [pickGroups(), random() < 0.8]
    const body = { access_type: isPrivate ? 'private' : 'public', groups: [...groups] }
    const { status, body: answer } = await ask('PUT', `/manage/connector/${connector}/credential/0`, { key, body })
    assert.equal(status, manages(person, { isPrivate, groups }) ? 200 : 403)
    if (status === 200) pairs.push({ id: answer.data, groups, isPrivate, connector })
  },
  async function createsSet(person) {
    if (pairs.length === 0) return
    const [pair, groups, isPrivate] = [pick(pairs), pickGroups(), random() < 0.8]
    const content = { name: `Set ${++made}`, description: '', cc_pair_ids: [pair.id], users: [] }
    const body = { ...content, is_public: !isPrivate, groups: [...groups] }
    const { status, body: id } = await ask('POST', '/manage/admin/document-set', { key: person.key, body })
    const isAllowed = manages(person, { isPrivate, groups })
    assert.equal(status, isAllowed ? (mayRead(person, pair) ? 200 : 404) : 403)
    if (status === 200) sets.push({ id, groups, isPrivate })
  },
  async function deletesSet(person) {
    if (sets.length === 0) return
    const set = pick(sets)
    const { status } = await ask('DELETE', `/manage/admin/document-set/${set.id}`, { key: person.key })
    assert.equal(status, manages(person, set) ? 200 : refusalFor(person))
    if (status === 200) sets.splice(sets.indexOf(set), 1)
  },
  async function addsMember(person) {
    const [group, other] = [pick(GROUPS), pick(people)]
    const question = { key: person.key, body: { user_ids: [other.id] } }
    const path = `/manage/admin/user-group/${await groupId(group)}/add-users`
    const { status } = await ask('POST', path, question)
    assert.equal(status, person.curator.has(group) ? 200 : refusalFor(person))
    if (status === 200) other.member.add(group)
  },
]

/** Lists hold what the person manages, and nothing else. */
async function compareLists(person: ModelPerson): Promise<void> {
  const { key } = person
  const idsOf = (items: { id?: number; cc_pair_id?: number }[]) => items.map((it) => it.id ?? it.cc_pair_id)
  const managed = pairs.filter((it) => manages(person, it))
  if (person.curator.size === 0) {
    assert.equal((await ask('GET', '/manage/admin/connector/status', { key })).status, 403)
    return
  }
  assert.deepEqual(idsOf(await ok('GET', '/manage/admin/connector/status', { key })), idsOf(managed))
  const sources = await ok('POST', '/manage/admin/connector/indexing-status', {
    key,
    body: { get_all_connectors: true },
  })
  assert.deepEqual(
    sources.flatMap((it: { indexing_statuses: [] }) => idsOf(it.indexing_statuses)),
    idsOf(managed),
  )
  const editable = await ok('GET', '/manage/document-set?get_editable=true', { key })
  assert.deepEqual(idsOf(editable), idsOf(sets.filter((it) => manages(person, it))))
  const groups = await ok('GET', '/manage/admin/user-group', { key })
  assert.deepEqual(new Set(groups.map((it: { name: string }) => it.name)), person.curator)
}

test('curators may do what a simple model says, whatever administrators change meanwhile', async (t) => {
  const seed = chooseSeed((line) => t.diagnostic(line))
  random = seeded(seed)
  for (const group of GROUPS)
    for (const person of people.slice(0, 2)) {
      await addTo(person.id, group)
      person.member.add(group)
    }
  let created = 0
  for (let at = 0; at < OPERATIONS; at += 1) {
    const person = pick(people)
    const before = pairs.length + sets.length
    const operation = random() < 0.35 ? pick(CHANGES) : () => pick(ATTEMPTS)(person)
    await operation().catch((error) => {
      throw new Error(`SEED=${seed}, operation ${at}: ${error.message}`, { cause: error })
    })
    if (pairs.length + sets.length > before) created += 1
    if (at % 20 === 0) for (const it of people) await compareLists(it)
  }
  for (const it of people) await compareLists(it)
  assert.ok(created > 5, 'the run created pairs and sets')
})
