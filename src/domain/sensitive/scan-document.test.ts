import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScannedContent, scanDocument } from './scan-document.ts'

const SECRET = 'password=k8Tz4qWmZp'
const section = (text: string, more = {}) => ({ text, heading: null, link: null, image_file_id: null, ...more })
const contentOf = (...sections: ReturnType<typeof section>[]): ScannedContent => ({
  title: null,
  semantic_identifier: 'A note',
  metadata: {},
  sections,
})
const scan = (content: ScannedContent) => scanDocument(content, async () => {})

test('a document without findings has an empty hash', async () => {
  assert.deepEqual(await scan(contentOf(section('Nothing.'))), { textHash: '', findings: [] })
})

test('findings are counted by kind and section; title and metadata are section 0', async () => {
  const sections = [section('Nothing.'), section(`${SECRET} and ${SECRET}`, { link: 'a.pdf#page=12' }), section(SECRET)]
  const { findings } = await scan({ ...contentOf(...sections), title: SECRET, metadata: { db_password: 'k8Tz4qWmZp' } })
  const place = { heading: null, page: null }
  const places = [
    { section: 0, ...place, count: 2 },
    { section: 2, ...place, page: 12, count: 2 },
    { section: 3, ...place, count: 1 },
  ]
  assert.deepEqual(findings, [{ kind: 'assigned_secret', count: 5, places }])
})

test('a heading is masked before it is cut', async () => {
  const heading = `${'x'.repeat(190)} ${SECRET}`
  const { findings } = await scan(contentOf(section('', { heading })))
  assert.equal(findings[0]?.places[0]?.heading, `${'x'.repeat(190)} password=`)
})

test('the places of 20 sections are kept, and all are counted', async () => {
  const { findings } = await scan(contentOf(...Array.from({ length: 30 }, () => section(SECRET))))
  assert.deepEqual([findings[0]?.count, findings[0]?.places.length], [30, 20])
})

test('a finding across the border of two slices is counted once', async () => {
  for (const before of [199_980, 199_989, 199_995, 199_999, 200_000, 200_001]) {
    const { findings } = await scan(contentOf(section(`${' '.repeat(before)}${SECRET} end`)))
    assert.deepEqual(
      findings.map((it) => it.count),
      [1],
      `${before}`,
    )
  }
})

test('other work runs after each slice', async () => {
  let turns = 0
  await scanDocument(contentOf(section('word '.repeat(200_000))), async () => turns++)
  assert.ok(turns >= 4, `${turns}`)
})

test('the hash names the text: a changed one has another', async () => {
  const hash = async (...of: Parameters<typeof contentOf>) => (await scan(contentOf(...of))).textHash
  assert.match(await hash(section(SECRET)), /^[0-9a-f]{64}$/)
  assert.equal(await hash(section(SECRET)), await hash(section(SECRET)))
  assert.notEqual(await hash(section(SECRET)), await hash(section(`${SECRET} `)))
})

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => `person${at}@firm.de, +49 30 1234${1_000 + at}`)

test('fifty different addresses and phone numbers are lists, 49 are not, and neither is one repeated', async () => {
  const kinds = async (text: string) => (await scan(contentOf(section(text)))).findings.map((it) => [it.kind, it.count])
  assert.deepEqual(await kinds(people(50).join('\n')), [
    ['email_list', 50],
    ['phone_list', 50],
  ])
  assert.deepEqual(await kinds(people(49).join('\n')), [])
  assert.deepEqual(await kinds(people(1).join('\n').repeat(100)), [])
})

const LONGEST = 16_000_000
const HOSTILE: [name: string, part: string][] = [
  ['beginnings of tokens', 'ghp_'],
  ['dots of tokens', 'eyJhbGciOiJ9.eyJ9.'],
  ['headers of keys', '-----BEGIN PRIVATE KEY-----'],
  ['ids of keys', 'AKIAZZZZZZZZZZZZZZZZ '],
  ['addresses', 'a://b:'],
  ['names', 'password'],
  ['names with operators', 'token: '],
  ['digits', '4'],
  ['groups of digits', '4539 '],
  ['beginnings of accounts', 'DE91 5001 '],
  ['tax words', 'tax 86095742718 '],
  ['at signs', 'a@'],
  ['plus signs', '+49 30 '],
  ['quotes', '"'],
]
for (const [name, part] of HOSTILE) {
  test(`the longest text, made of ${name}, is scanned in bounded time`, async () => {
    const text = part.repeat(LONGEST / part.length)
    const before = process.cpuUsage()
    await scan(contentOf(section(text)))
    const { user, system } = process.cpuUsage(before)
    const seconds = (user + system) / 1e6
    assert.ok(seconds < 8, `${seconds} s`)
  })
}
