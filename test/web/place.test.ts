import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otherMetadata, placeOf } from '../../web/src/pages/search/place.ts'

const cases: [what: string, hit: Parameters<typeof placeOf>[0], place: string | null][] = [
  [
    'a repository and the folders of a path',
    {
      metadata: { path: 'docs/hr/leave.md', repository: 'handbook', branch: 'main' },
      link: 'https://git.example.com/x',
    },
    'handbook › docs › hr',
  ],
  ['a bucket without folders', { metadata: { bucket: 'reports', key: 'q3.pdf' }, link: null }, 'reports'],
  ['a space', { metadata: { space: 'HR' }, link: 'https://wiki.example.com/42' }, 'HR'],
  [
    'the link, if the metadata says nothing',
    { metadata: {}, link: 'https://a.example.com/b%20c' },
    'a.example.com › b c',
  ],
  ['no place in a file at the top of a path', { metadata: { path: 'readme.md' }, link: null }, null],
  ['no place in an unsafe link', { metadata: { space: ['a', 'b'] }, link: 'javascript:alert(1)' }, null],
]
for (const [what, hit, place] of cases) test(what, () => assert.equal(placeOf(hit), place))

test('metadata that the place shows is not shown again', () => {
  assert.deepEqual(otherMetadata({ metadata: { path: 'a/b', team: 'core', space: 'HR' } }), [['team', 'core']])
})
