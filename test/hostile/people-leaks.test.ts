// Twenty people read while their groups, roles and suspensions change. No answer tells of a document that its reader may
// not read at any moment of the request, and each change holds for the next request after the answer to the change.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { as, cookieOf, joinAs, PASSWORD } from '../api/people.ts'
import { documentOf, start } from '../api/setup.ts'
import { calls, says, startModelServer } from '../model/model-server.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled } from '../server.ts'
import { PossibleAccess } from './possible-access.ts'

const PEOPLE = 20
const DOCUMENTS = 1_000
/** The first six groups change their members, the others are renamed, deleted and created again. */
const GROUPS = 8
const CHANGING_MEMBERS = 6
/** The last five people change their role, or are suspended. */
const STEADY_PEOPLE = 15
const SUSPENDED_FROM = 18
const CHANGES = 16

const model = await startModelServer()
const { server, ask, ok, makePair } = await start(model.env())
const random = seeded(chooseSeed((line) => process.stdout.write(`${line}\n`)))
const possible = new PossibleAccess()

interface Person {
  id: string
  email: string
  cookie: string
  token: string
  mcp: Client
}
const people: Person[] = []
const groupIds: number[] = []
const pairs: number[] = []
const groupName = (group: number) => `crew${group}`
const canary = (at: number) => `canary${String(at).padStart(4, '0')}quokka`
/** One document in 25 has a person as reader, the others a group. */
const ownerOf = (at: number) => (at % 25 === 24 ? `person${Math.floor(at / 25) % PEOPLE}` : `desk${at % GROUPS}`)
const sizeOf = (owner: string) =>
  Array.from({ length: DOCUMENTS }, (_, at) => ownerOf(at)).filter((it) => it === owner).length

function documentAt(at: number) {
  const owner = ownerOf(at)
  const isGroup = owner.startsWith('desk')
  const external_access = {
    is_public: false,
    external_user_emails: isGroup ? [] : [`${owner}@example.com`],
    external_user_group_ids: isGroup ? [groupName(at % GROUPS)] : [],
  }
  const text = `The quarterly harbour report of the ${canary(at)} and the cranes.`
  const more = { id: `d${at}`, semantic_identifier: `Report ${canary(at)}`, metadata: { team: canary(at) } }
  return documentOf(text, { ...more, source: isGroup ? owner : 'mail', external_access })
}

async function join(at: number): Promise<Person> {
  const email = `person${at}@example.com`
  const { id, cookie } = await joinAs({ ask, ok }, email)
  const { token } = await ok('POST', '/user/pats', { ...as(cookie), body: { name: 'assistant' } })
  const mcp = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  possible.permit(at, `person${at}`)
  possible.permit(at, 'active')
  return { id, email, cookie, token, mcp }
}

before(async () => {
  // An administrator asks why another person does not find a document.
  await ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
  // The last administrator keeps the role, so there is another one.
  await joinAs({ ask, ok }, 'chief@example.com')
  await ok('PATCH', '/manage/set-user-role', { body: { user_email: 'chief@example.com', new_role: 'admin' } })
  for (let at = 0; at < PEOPLE; at++) people.push(await join(at))
  for (let group = 0; group < GROUPS; group++) {
    const members = people.flatMap((_, person) => (random() < 0.3 ? [person] : []))
    for (const it of members) possible.permit(it, `desk${group}`)
    const body = { name: groupName(group), user_ids: members.map((it) => people[it]!.id) }
    groupIds.push((await ok('POST', '/manage/admin/user-group', { body })).id)
    pairs.push(await makePair(`Pair of desk${group}`, { access_type: 'private', groups: [groupName(group)] }))
    if (group >= CHANGING_MEMBERS) continue
    const set = { name: `Set of desk${group}`, description: '', cc_pair_ids: [pairs[group]], users: [] }
    await ok('POST', '/manage/admin/document-set', { body: { ...set, is_public: false, groups: [groupName(group)] } })
  }
  const lines = Array.from({ length: DOCUMENTS }, (_, at) =>
    JSON.stringify({ document: documentAt(at), cc_pair_id: pairs[at % GROUPS] }),
  )
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, text } = await ask('POST', '/service-api/ingestion/batch', { bytes: lines.join('\n'), headers })
  assert.equal(status, 200)
  assert.doesNotMatch(text, /"error"/)
  await settled(server)
  model.script(({ body }) =>
    body.messages.some((it) => it.role === 'tool')
      ? says('The report tells of cranes [1][2].')
      : calls({ name: 'internal_search', arguments: { queries: ['quarterly harbour report', 'cranes'] } }),
  )
})

const seen = { answers: 0, canaries: 0 }

/** The owners of everything that the text tells of, except the documents that the question names. */
function ownersIn(text: string, named: readonly string[]): Set<string> {
  const documents = [...text.matchAll(/canary(\d{4})quokka/g)].filter(([word]) => !named.includes(word))
  seen.canaries += documents.length
  const desks = [...text.matchAll(/desk\d/g)].map(([word]) => word).filter((it) => !named.includes(it))
  return new Set([...documents.map(([, at]) => ownerOf(Number(at))), ...desks])
}

function assertAllowed(text: string, allowed: ReadonlySet<string>, what: string, named: readonly string[] = []): void {
  const leaked = [...ownersIn(text, named)].filter((it) => !allowed.has(it))
  assert.deepEqual(leaked, [], `${what} tells of documents of others: ${text.slice(0, 2_000)}`)
}

interface Reading {
  name: string
  named?: readonly string[]
  /** Returns the text of the answer; `understood` repeats the query, so it is left out. */
  read(person: Person): Promise<string>
}

/** The text of an answer. A refusal has to be of a person who may be suspended, which `readAs` checks. */
const readBy = async (person: Person, method: string, path: string, body?: object): Promise<string> => {
  const reply = await ask(method, path, { ...as(person.cookie), ...(body && { body }) })
  if (reply.status === 401 || reply.status === 403) return 'refused'
  assert.equal(reply.status, 200, `${method} ${path} ${reply.text}`)
  const { understood: _, ...told } = Array.isArray(reply.body) ? { told: reply.body } : reply.body
  return JSON.stringify(told)
}

const byMcp = async (person: Person, name: string, args: Record<string, unknown>): Promise<string> => {
  const answer = await person.mcp.callTool({ name, arguments: args }).catch((error: Error) => {
    assert.match(error.message, /401|403|unauthori[sz]ed|suspended|invalid/i)
    return 'refused'
  })
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

const post = (name: string, path: string, body: object, named: readonly string[] = []): Reading => ({
  name,
  named,
  read: (person) => readBy(person, 'POST', path, body),
})
const get = (name: string, path: string): Reading => ({ name, read: (person) => readBy(person, 'GET', path) })

function readings(): Reading[] {
  const word = canary(random.below(DOCUMENTS))
  const desk = `desk${random.below(GROUPS)}`
  const query = 'quarterly harbour report'
  const mcp = (name: string, args: Record<string, unknown>, named: readonly string[] = []): Reading => ({
    name: `MCP ${name}`,
    named,
    read: (person) => byMcp(person, name, args),
  })
  return [
    post('search', '/search', { query, num_hits: 200, facets: true, explain: true }),
    post('search by date', '/search', { query: 'cranes', sort: 'date', facets: true }),
    post('search of a word', '/search', { query: word, facets: true }, [word]),
    post('search of a tag', '/search', { query: 'report', tags: [{ tag_key: 'team', tag_value: word }] }, [word]),
    post('search in a source', '/search', { query, sources: [desk], facets: true }),
    post('search in a set', '/search', { query, document_sets: [`Set of ${desk}`], facets: true }),
    post('suggest', '/search/suggest', { query: word.slice(0, 8) }),
    post('suggest titles', '/search/suggest', { query: 'Report' }),
    get('tags', '/query/valid-tags?limit=1000'),
    get('sets', '/manage/document-set'),
    mcp('search', { query, num: 50 }),
    mcp('search', { query: word }, [word]),
    mcp('fetch', { id: `d${random.below(DOCUMENTS)}` }),
  ]
}

/** People who may have a role that manages connectors may see the names of all sets. */
const withoutKnownSets = (at: number, text: string): string =>
  at >= STEADY_PEOPLE && at < SUSPENDED_FROM ? text.replace(/(?:Set|Pair) of desk\d/g, '') : text

async function readAs(at: number, { name, named, read }: Reading): Promise<void> {
  const person = people[at]!
  const { answer, allowed } = await possible.during(at, () => read(person))
  if (answer === 'refused') assert.ok(at >= SUSPENDED_FROM, `${name} refused person ${at}, who was never suspended`)
  seen.answers += 1
  if (answer !== 'refused') assert.ok(allowed.has('active'), `${name} answered person ${at}, who is suspended`)
  assertAllowed(withoutKnownSets(at, answer), allowed, `${name} for person ${at}`, named)
}
/** One chat runs at a time, and its question names the person. Neither the answer nor the requests to the model contain documents of others. */
async function chatAs(at: number): Promise<void> {
  const marker = `number${at}number`
  model.requests.length = 0
  const { answer, allowed } = await possible.during(at, async () => {
    const message = `What does the quarterly harbour report tell ${marker}?`
    const question = { ...as(people[at]!.cookie), body: { message, stream: false } }
    const { body, status } = await ask('POST', '/chat/send-chat-message', question)
    if (status === 401) return 'refused'
    assert.equal(status, 200)
    return JSON.stringify(body)
  })
  const told = JSON.stringify(
    model.requests.map((it) => it.body.messages).filter((it) => JSON.stringify(it).includes(marker)),
  )
  seen.answers += 1
  assertAllowed(withoutKnownSets(at, answer), allowed, `a chat of person ${at}`)
  assertAllowed(withoutKnownSets(at, told), allowed, `the context of a chat of person ${at}`)
}

const GROUP_PATH = '/manage/admin/user-group'

/** Asserts what the person reads of a group now: everything or nothing, in every count. */
async function assertReads(at: number, group: number, isReader: boolean): Promise<void> {
  const body = { query: 'quarterly harbour report', sources: [`desk${group}`], facets: true }
  const { total } = await ok('POST', '/search', { ...as(people[at]!.cookie), body })
  assert.equal(total, isReader ? sizeOf(`desk${group}`) : 0, `person ${at}, group ${group}`)
  const word = canary(Array.from({ length: DOCUMENTS }, (_, it) => it).find((it) => ownerOf(it) === `desk${group}`)!)
  const { terms } = await ok('POST', '/search/suggest', {
    ...as(people[at]!.cookie),
    body: { query: word.slice(0, -3) },
  })
  assert.deepEqual(terms.length > 0, isReader, `the suggestions of person ${at}, group ${group}`)
  const parameters = { document_id: `d${group}`, query: 'harbour', as_user: people[at]!.email }
  const why = await ok('GET', `/admin/search/why?${new URLSearchParams(parameters)}`)
  assert.equal(why.lost_at === 'access', !isReader, JSON.stringify(why))
  assertAllowed(JSON.stringify(why.steps), new Set(), 'the explanation of a missing document')
}

/** Adds or removes one person at a time. Each group has one caller, because an update replaces all members. */
async function changeMembers(groups: readonly number[]): Promise<void> {
  for (let change = 0; change < CHANGES; change++) {
    const [group, at] = [groups[random.below(groups.length)]!, random.below(STEADY_PEOPLE)]
    const desk = `desk${group}`
    const isMember = possible.has(at, desk)
    const ids = people.flatMap(({ id }, it) => (it !== at && possible.has(it, desk) ? [id] : []))
    const path = `${GROUP_PATH}/${groupIds[group]}`
    if (isMember) {
      await ok('PATCH', path, { body: { user_ids: ids, cc_pair_ids: [pairs[group]] } })
      possible.forbid(at, desk)
    } else {
      possible.permit(at, desk)
      if (random() < 0.5) await ok('POST', `${path}/add-users`, { body: { user_ids: [people[at]!.id] } })
      else await ok('PATCH', path, { body: { user_ids: [...ids, people[at]!.id], cc_pair_ids: [pairs[group]] } })
    }
    await assertReads(at, group, !isMember)
  }
}

/** Renames or deletes a group, and gives the name back to the same people. */
async function changeGroups(): Promise<void> {
  for (let change = 0; change < CHANGES / 2; change++) {
    const group = CHANGING_MEMBERS + (change % (GROUPS - CHANGING_MEMBERS))
    const members = people.flatMap((_, at) => (possible.has(at, `desk${group}`) ? [at] : []))
    const id = groupIds[group]!
    const isRenamed = random() < 0.5
    if (isRenamed) await ok('PATCH', `${GROUP_PATH}/rename`, { body: { id, name: `away${group}` } })
    else await ok('DELETE', `${GROUP_PATH}/${id}`)
    for (const at of members) possible.forbid(at, `desk${group}`)
    const readers = members.filter((it) => it < STEADY_PEOPLE)
    if (readers[0] !== undefined) await assertReads(readers[0], group, false)
    for (const at of members) possible.permit(at, `desk${group}`)
    const name = groupName(group)
    const body = { name, user_ids: members.map((it) => people[it]!.id) }
    if (isRenamed) await ok('PATCH', `${GROUP_PATH}/rename`, { body: { id, name } })
    else groupIds[group] = (await ok('POST', GROUP_PATH, { body })).id
    if (readers[0] !== undefined) await assertReads(readers[0], group, true)
  }
}

/** A role opens routes at once, and no document. */
async function changeRoles(): Promise<void> {
  for (let change = 0; change < CHANGES / 2; change++) {
    const at = STEADY_PEOPLE + random.below(SUSPENDED_FROM - STEADY_PEOPLE)
    const { email: user_email, cookie } = people[at]!
    for (const new_role of ['admin', 'global_curator', 'basic']) {
      await ok('PATCH', '/manage/set-user-role', { body: { user_email, new_role } })
      const { status } = await ask('GET', '/admin/audit?limit=1', as(cookie))
      assert.equal(status, new_role === 'admin' ? 200 : 403, new_role)
      await readAs(at, readings()[0]!)
    }
  }
}

async function suspend(): Promise<void> {
  for (let change = 0; change < CHANGES / 4; change++) {
    const at = SUSPENDED_FROM + (change % (PEOPLE - SUSPENDED_FROM))
    const person = people[at]!
    await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: person.email } })
    possible.forbid(at, 'active')
    assert.equal(await readings()[0]!.read(person), 'refused')
    assert.equal((await ask('POST', '/search', { key: person.token, body: { query: 'report' } })).status, 401)
    possible.permit(at, 'active')
    await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: person.email } })
    const body = { username: person.email, password: PASSWORD }
    const reply = await ask('POST', '/auth/login', { key: null, body })
    assert.equal(reply.status, 204, reply.text)
    person.cookie = cookieOf(reply.headers)
    assert.notEqual(await readings()[0]!.read(person), 'refused')
  }
}

test('while permissions change, no answer tells of documents of others, and each change holds at once', async () => {
  const state = { isChanging: true }
  const whileChanging = async (read: (at: number) => Promise<void>) => {
    while (state.isChanging) await read(random.below(PEOPLE))
  }
  const readOne = (at: number) => {
    const all = readings()
    return readAs(at, all[random.below(all.length)]!)
  }
  const readers = [whileChanging(readOne), whileChanging(readOne), whileChanging(readOne), whileChanging(chatAs)]
  const changes = [changeMembers([0, 1, 2]), changeMembers([3, 4, 5]), changeGroups(), changeRoles(), suspend()]
  try {
    await Promise.race([Promise.all(changes), Promise.all(readers)])
  } finally {
    state.isChanging = false
    await Promise.allSettled([...changes, ...readers])
  }
  await Promise.all(readers)
  assert.ok(seen.answers > 100 && seen.canaries > 500, JSON.stringify(seen))
})
