import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitWikiText } from './wiki-text.ts'

for (const [text, sections] of [
  ['Plain\ntext', [[null, 'Plain\ntext', null]]],
  ['', []],
  [
    'h1. Über uns\n\nWe.\n\nh2(#x). More - or less?\n\nThat.',
    [
      ['Über uns', 'We.', 'Über-uns'],
      ['More - or less?', 'That.', 'More-or-less'],
    ],
  ],
  [
    'Lead\n\n# One #\n\n## Two\nb',
    [
      [null, 'Lead', null],
      ['One', '', 'One'],
      ['Two', 'b', 'Two'],
    ],
  ],
  [
    '<pre>\n# no heading\n</pre>\n# One',
    [
      [null, '<pre>\n# no heading\n</pre>', null],
      ['One', '', 'One'],
    ],
  ],
  ['# One ## \n# ##', [['One', '# ##', 'One']]],
  [`# ${'\t'.repeat(200_000)}x#y ${'#'.repeat(200_000)}`, [['x#y', '', 'xy']]],
  [`${'<pre>'.repeat(40_000)}\n# no heading`, [[null, `${'<pre>'.repeat(40_000)}\n# no heading`, null]]],
  ['```sh\n# no heading\n```', [[null, '```sh\n# no heading\n```', null]]],
] as const)
  test(`${JSON.stringify(text.slice(0, 60))} has ${sections.length} sections`, () => {
    assert.deepEqual(
      splitWikiText(text).map((it) => [it.heading, it.text, it.anchor]),
      sections,
    )
  })
