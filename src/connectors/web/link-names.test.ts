import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectNames, namesInLinks } from './link-names.ts'

const SITE = 'https://docs.example/'

async function namesOf(pages: Record<string, [to: string, text: string][]>): Promise<string[]> {
  async function* notes() {
    yield JSON.stringify({ pages: 20, counts: [] })
    yield JSON.stringify({ links: [`${SITE}old`] })
    for (const [own, found] of Object.entries(pages)) {
      const inside = found.map(([to, text]) => ({ link: SITE + to, text }))
      const links = [...new Set(inside.map((it) => it.link))]
      yield JSON.stringify({ links, names: namesInLinks(inside, { links, own: SITE + own }) })
    }
  }
  const names: string[] = []
  for await (const { document_id, name } of collectNames(notes(), (url) => url.replace(SITE, 'doc:')))
    names.push(`${document_id} ${name}`)
  return names.sort()
}

test('the text of a link is a name of the page, whatever its case', async () => {
  const pages = { a: [['stats', 'pg_stat_activity']], b: [['stats', 'PG_STAT_ACTIVITY']] } satisfies Parameters<
    typeof namesOf
  >[0]
  assert.deepEqual(await namesOf(pages), ['doc:stats pg_stat_activity'])
})

test('a text that leads to many pages is no name of any', async () => {
  const next = Array.from({ length: 8 }, (_, at) => [`${at}`, [[`${at + 1}`, 'Next']]])
  assert.deepEqual(await namesOf(Object.fromEntries(next)), [])
})

test('a page does not count twice, and does not name itself', async () => {
  const pages: Parameters<typeof namesOf>[0] = {
    a: [...Array.from({ length: 9 }, (): [string, string] => ['wrong', 'copy']), ['a', 'copy']],
    b: [['copy', 'copy']],
    c: [['copy', 'copy']],
    d: [['copy', 'copy']],
  }
  assert.deepEqual(await namesOf(pages), ['doc:copy copy'])
})

test('numbers, signs, long texts and pictures are no names', async () => {
  const texts = ['', '¶', '12', 'x', 'long '.repeat(17)]
  assert.deepEqual(await namesOf({ a: texts.map((text) => ['page', text]) }), [])
})
