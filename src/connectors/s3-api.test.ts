import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encoded, isAskable, parseList } from './s3-api.ts'

const list = (inner: string) =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>${inner}</ListBucketResult>`
const object = '<Contents><Key>a%2Fb+c%2B.txt</Key><ETag>&quot;e1&quot;</ETag><Size>5</Size></Contents>'
const MORE = '<IsTruncated>true</IsTruncated>'

test('a list tells keys as they are, and where it goes on', () => {
  const { objects, token } = parseList(list(`${MORE}${object}<NextContinuationToken>n&amp;x</NextContinuationToken>`))
  assert.deepEqual(objects, [{ key: 'a/b c+.txt', etag: 'e1', size: 5, changed_at: null, storage_class: '' }])
  assert.equal(token, 'n&x')
  assert.equal(parseList(list('<IsTruncated>false</IsTruncated>')).token, null)
})

for (const [what, xml] of [
  ['is cut off', list(object).slice(0, -10)],
  ['goes on and does not say where', list(`${MORE}${object}`)],
  ['is another document', '<html><body>Sign in</body></html>'],
  ['is empty', ''],
  ['names nothing', list('<Contents><Size>5</Size></Contents>')],
  ['tells no size', list('<Contents><Key>a</Key><Size>x</Size></Contents>')],
] as const)
  test(`a list that ${what} is refused, never taken for the end`, () => {
    assert.throws(() => parseList(xml), /The service of the bucket answers/)
  })

test('a key is written as it is signed, unless an address would make another one of it', () => {
  assert.equal(encoded("a b/ü+(1)!*'.txt"), 'a%20b/%C3%BC%2B%281%29%21%2A%27.txt')
  assert.deepEqual(['a/../b', './a', 'a/..', '..a/b..', 'a//b'].map(isAskable), [false, false, false, true, true])
})
