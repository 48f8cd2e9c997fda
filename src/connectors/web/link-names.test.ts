import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectNames, namesInLinks } from './link-names.ts'

const SITE = 'https://docs.example/'

type Pages = Record<string, [to: string, text: string][]>

async function collect(pages: Pages): Promise<Record<'names' | 'counts', string[]>> {
  async function* notes() {
    yield JSON.stringify({ pages: 20, counts: [] })
    yield JSON.stringify({ links: [`${SITE}old`] })
    for (const [own, found] of Object.entries(pages)) {
      const inside = found.map(([to, text]) => ({ link: SITE + to, text }))
      const links = [...new Set(inside.map((it) => it.link))]
      yield JSON.stringify({ links, names: namesInLinks(inside, { links, own: SITE + own }) })
    }
  }
  const found: Record<'names' | 'counts', string[]> = { names: [], counts: [] }
  for await (const { document_id, ...it } of collectNames(notes(), (url) => url.replace(SITE, 'doc:'))) {
    if ('links' in it) found.counts.push(`${document_id} ${it.links}`)
    else found.names.push(`${document_id} ${it.name}`)
  }
  return { names: found.names.sort(), counts: found.counts.sort() }
}
const namesOf = async (pages: Pages): Promise<string[]> => (await collect(pages)).names

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

test('each page that links to another one counts once, and menus do not count', async () => {
  const menu: [string, string] = ['home', 'Home']
  const pages: Pages = {
    a: [menu, ['wanted', 'one text'], ['wanted', 'another text'], ['a', 'itself']],
    b: [menu, ['wanted', 'one text']],
    c: [menu, ['a', 'first']],
    d: [menu, ['b', 'second']],
  }
  assert.deepEqual((await collect(pages)).counts, ['doc:a 1', 'doc:b 1', 'doc:wanted 2'])
})
