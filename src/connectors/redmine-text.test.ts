import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionsOfText } from './redmine-text.ts'

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
  ['```sh\n# no heading\n```', [[null, '```sh\n# no heading\n```', null]]],
] as const)
  test(`${JSON.stringify(text)} has ${sections.length} sections`, () => {
    assert.deepEqual(
      sectionsOfText(text).map((it) => [it.heading, it.text, it.anchor]),
      sections,
    )
  })
