import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenTitle } from './file-title.ts'

const TITLES: [string, string | null][] = [
  ['PowerPoint Presentation', null],
  ['PowerPoint-Präsentation', null],
  ['No Slide Title', null],
  ['Microsoft Word - Travel policy.doc', 'Travel policy.doc'],
  ['Microsoft PowerPoint - ', null],
  ['How to make a PowerPoint presentation', 'How to make a PowerPoint presentation'],
  ['Slide 12', 'Slide 12'],
]
for (const [title, given] of TITLES) test(`the title "${title}"`, () => assert.equal(givenTitle(title), given))
