// What a page says to those who collect pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract } from './open-extractor.ts'

test('links come as they are written, with what they are relative to and what robots are asked', async () => {
  const { page } = await extract(
    '<!doctype html><base href="/b/"><link rel="canonical" href="/c"><meta name="ROBOTS" content="NoIndex, nofollow">' +
      '<nav><a href=" one?a&amp;b ">1</a></nav><main>text <a href="/two" rel="nofollow ugc">2</a><a>3</a></main><map><area href=four></map>',
    'a.html',
  )
  assert.deepEqual(page, {
    links: ['one?a&b', 'four'],
    base: '/b/',
    canonical: '/c',
    isIndexed: false,
    isFollowed: false,
  })
})

test('a page that says nothing may be collected, and what is no page says nothing', async () => {
  const { page } = await extract('<!doctype html><p>x', 'a.html')
  assert.deepEqual(page, { links: [], base: null, canonical: null, isIndexed: true, isFollowed: true })
  assert.equal((await extract('# x', 'a.md')).page, null)
})
