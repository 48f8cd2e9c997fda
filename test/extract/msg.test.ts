import assert from 'node:assert/strict'
import { test } from 'node:test'
import { msg } from './msg-writer.ts'
import { extract } from './open-extractor.ts'

test('a message of Outlook says who wrote what to whom, and has its attachments as parts', async () => {
  const found = await extract(msg(), 'a.msg')
  assert.deepEqual([found.report.kind, found.report.verdict, found.report.warnings], ['msg', 'ok', []])
  assert.deepEqual([found.title, found.metadata.author], ['Hello from Outlook', 'Ada <ada@example.com>'])
  assert.deepEqual(
    found.sections.map((it) => it.text),
    ['From: Ada <ada@example.com>\nTo: Bob <bob@example.com>', 'The plan is attached.'],
  )
  assert.deepEqual(
    found.parts.map((it) => [it.name, it.sections[0]?.text]),
    [['plan.txt', 'the plan']],
  )
})
