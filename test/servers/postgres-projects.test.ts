// Projects, readers of chats and popular queries over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Subject } from '../../src/domain/subject.ts'
import { getSharedChat, listChatsSharedWith, replaceChatReaders } from '../../src/store/chats/chat-readers.ts'
import { deleteChat, insertChat, listChats, searchChats } from '../../src/store/chats/chats.ts'
import {
  deleteProject,
  getProject,
  insertProject,
  listProjects,
  updateProject,
} from '../../src/store/chats/projects.ts'
import type { Database } from '../../src/store/database/database.ts'
import { insertRecordedQueries, listPopularQueries } from '../../src/store/search/recorded-queries.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const subjectOf = (user_id: string, groups: string[] = []): Subject => ({
  api_key_id: null,
  user_id,
  person_id: user_id,
  usage_id: user_id,
  email: `${user_id}@example.com`,
  groups,
  curated_groups: [],
  role: 'basic',
  rights: new Set(['chat', 'search']),
  scopes: null,
  credential: { kind: 'person', kid: user_id },
})
const ann = subjectOf('ann', ['harbour'])
const bob = subjectOf('bob')
const chatOf = (id: string, project_id: number | null = null) => ({
  ...{ id, persona_id: 0, name: `The chat ${id}`, incognito: false },
  project_id,
})

await onPostgres(async (server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })

  test('a project holds chats until it is deleted', async () => {
    const { id } = await insertProject(db, ann, { name: 'Ships', description: null }, 1)
    assert.equal(typeof id, 'number')
    await updateProject(db, ann, id, { instructions: 'In verse.' })
    assert.equal((await getProject(db, ann, id)).instructions, 'In verse.')
    await assert.rejects(getProject(db, bob, id), { code: 'PROJECT_NOT_FOUND' })
    await insertChat(db, ann, chatOf('a', id), 1)
    await insertChat(db, ann, chatOf('b'), 2)
    const listed = async (project: number | 'none' | 'any') =>
      (await listChats(db, ann, { before: null, limit: 10, project }, true)).map((it) => it.id)
    assert.deepEqual([await listed(id), await listed('none'), await listed('any')], [['a'], ['b'], ['b', 'a']])
    const found = await searchChats(db, ann, 'A  chat', { offset: 0, limit: 10 })
    assert.deepEqual(
      found.map((it) => [it.id, it.project_id]),
      [
        ['b', null],
        ['a', id],
      ],
    )
    await deleteProject(db, ann, id)
    assert.deepEqual([await listProjects(db, ann), await listed('none')], [[], ['b', 'a']])
  })

  test('a chat is shared with addresses and groups, and with nobody once it is deleted', async () => {
    const group = { name: 'harbour', origin: 'manual', time_created: 1, time_updated: 1 }
    const { id: group_id } = await db.insertInto('user_group').values(group).returning('id').executeTakeFirstOrThrow()
    await insertChat(db, ann, chatOf('shared'), 1)
    const readers = await replaceChatReaders(db, ann, 'shared', { emails: ['Bob@example.com'], group_ids: [group_id] })
    assert.deepEqual(readers, { emails: ['bob@example.com'], groups: [{ id: group_id, name: 'harbour' }] })
    assert.equal((await getSharedChat(db, bob, 'shared')).id, 'shared')
    const ids = async (reader: Subject) => (await listChatsSharedWith(db, reader)).map((it) => it.id)
    const eve = subjectOf('eve', ['harbour'])
    assert.deepEqual([await ids(bob), await ids(eve), await ids(ann)], [['shared'], ['shared'], []])
    await assert.rejects(getSharedChat(db, subjectOf('cleo'), 'shared'), { code: 'SESSION_NOT_FOUND' })
    await deleteChat(db, ann, 'shared', { isHard: false, now: 2 })
    assert.deepEqual([await ids(bob), await ids(eve)], [[], []])
  })

  test('a popular query is one of enough people', async () => {
    const asked = (user_id: string, query: string, at: number) => ({
      ...{ search_id: `${user_id} ${query} ${at}`, user_id, query, filters: {}, document_ids: [], total: 1 },
      ...{ ranked_by: 'words' as const, took_ms: 1, asked_at: 10 },
    })
    await insertRecordedQueries(db, [
      ...['a', 'b', 'c', 'd', 'e'].map((it) => asked(it, 'Annual  Leave', 1)),
      ...['a', 'b', 'c', 'd', 'd', 'd'].map((it, at) => asked(it, 'payroll', at)),
    ])
    const popular = await listPopularQueries(db, { from: 0, until: 20 }, { minPeople: 5, limit: 10 })
    assert.deepEqual(popular, ['annual leave'])
  })
})
