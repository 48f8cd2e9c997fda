import assert from 'node:assert/strict'
import { test } from 'node:test'
import { msg } from './msg-writer.ts'
import { extract } from './open-extractor.ts'

test('an Outlook message has its headers, body and attachments', async () => {
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

test('cyclic references end the reading at once', async () => {
  const bytes = Buffer.from(msg())
  // In this sector table each sector points to itself.
  const table = (bytes.readInt32LE(76) + 1) * 512
  for (let sector = 0; sector < 128; sector++) bytes.writeInt32LE(sector, table + sector * 4)
  const { report } = await extract(bytes, 'a.msg')
  assert.deepEqual([report.verdict, report.warnings[0]?.code], ['damaged', 'damaged'])
  assert.match(report.warnings[0]?.detail ?? '', /cyclic or dangling/)
})
