import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { type AuditedAction, SYSTEM_ACTOR } from '../domain/audit.ts'
import type { Database } from '../store/database/database.ts'
import { replaceSettings } from '../store/settings/settings.ts'
import { openSqlite } from '../store/sqlite/open-sqlite.ts'
import { type AuditLog, openAuditLog } from './audit-log.ts'

const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'pharos-audit-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const opened: Database[] = []
let db: Database
let audit: AuditLog
let time: number
beforeEach(async () => {
  time = 10 * DAY_MS + 1
  db = await openSqlite({ path: join(folder, `${opened.length}.db`), failpoint: null, onFatal: assert.fail })
  opened.push(db)
  audit = openAuditLog({ db, logger: quiet, now: () => time })
})
after(async () => {
  for (const it of opened) await it.close()
  rmSync(folder, { recursive: true })
})

const actOf = (action: string, more: Partial<AuditedAction> = {}): AuditedAction => ({
  actor_id: 'a-user',
  api_key_id: 1,
  email: null,
  action,
  object_id: null,
  outcome: 'success',
  error_code: null,
  fields: [],
  request_id: null,
  ...more,
})
const EVERYTHING = {
  actor: null,
  action: null,
  object_type: null,
  object_id: null,
  outcome: null,
  request_id: null,
  from: null,
  until: null,
}
const actions = async () => (await audit.list(EVERYTHING, { before: null, limit: 100 })).map((it) => it.action)

test('expired entries are deleted by whole days, and the deletion is an entry too', async () => {
  await replaceSettings(db, { audit_retention_days: 2 })
  await audit.record(actOf('a.old'))
  time += DAY_MS
  await audit.record(actOf('b.young'))
  time += DAY_MS + 100
  await audit.expire()
  assert.deepEqual(await actions(), ['b.young', 'a.old'])
  time += DAY_MS
  await audit.expire()
  assert.deepEqual(await actions(), ['audit.expire', 'b.young'])
  await audit.expire()
  assert.deepEqual(await actions(), ['audit.expire', 'b.young'])
  const check = await audit.check()
  assert.deepEqual([check.entries, check.broken_at], [2, null])
})

test('the newest entry is kept, so that the chain continues', async () => {
  await audit.record(actOf('a.one'))
  await audit.record(actOf('a.two'))
  time += 10_000 * DAY_MS
  await audit.expire()
  assert.deepEqual(await actions(), ['audit.expire', 'a.two'])
  assert.equal((await audit.check()).broken_at, null)
})

test('with a retention of 0 days entries are kept for ever', async () => {
  await replaceSettings(db, { audit_retention_days: 0 })
  await audit.record(actOf('a.old'))
  time += 30_000 * DAY_MS
  await audit.expire()
  assert.deepEqual(await actions(), ['a.old'])
})

test('the same refusal of the same key is logged once a minute', async () => {
  for (const [after, action, actor_id] of [
    [0, 'a.b', 'x'],
    [1, 'a.b', 'x'],
    [1, 'a.c', 'x'],
    [1, 'a.b', 'y'],
    [59_998, 'a.b', 'x'],
    [0, 'a.b', 'x'],
  ] as const) {
    time += after
    await audit.recordRefusal(actOf(action, { actor_id }))
  }
  assert.deepEqual(await actions(), ['a.b', 'a.b', 'a.c', 'a.b'])
})

test('refusals of nobody are told apart by their object and kind', async () => {
  for (const [object_id, failure] of [
    ['staff', 'state'],
    ['staff', 'state'],
    ['staff', 'answer_invalid'],
    ['other', 'state'],
  ] as const) {
    await audit.recordRefusal(actOf('a.b', { actor_id: SYSTEM_ACTOR, object_id, fields: [failure] }))
  }
  assert.deepEqual(await actions(), ['a.b', 'a.b', 'a.b'])
})

test('an act whose entry cannot be written is answered with an error', async () => {
  await db.schema.dropTable('audit').execute()
  await assert.rejects(audit.record(actOf('a.b')), /no such table/)
  await assert.rejects(audit.record(actOf('a.b')), /no such table/)
})

test('two spellings of a person get one pseudonym', async () => {
  await audit.record(actOf('a.b', { email: 'Ann@Example.com' }))
  await audit.record(actOf('a.c', { email: 'ann@example.COM' }))
  const [one, two] = await audit.list({ ...EVERYTHING, actor: 'ANN@example.com' }, { before: null, limit: 10 })
  assert.equal(one!.person, two!.person)
  assert.equal(one!.actor_email, 'ann@example.com')
})
