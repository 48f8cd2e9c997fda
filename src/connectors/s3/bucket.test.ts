import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extracting } from '../../../test/extract/open-extractor.ts'
import { encodeKey, isAddressableKey, parseObjectList } from './bucket.ts'

const parseList = (xml: string) => parseObjectList(Buffer.from(xml), { extract: extracting })

const list = (inner: string) =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>${inner}</ListBucketResult>`
const object = '<Contents><Key>a%2Fb+c%2B.txt</Key><ETag>&quot;e1&quot;</ETag><Size>5</Size></Contents>'
const MORE = '<IsTruncated>true</IsTruncated>'

test('a list has decoded keys and the continuation token', async () => {
  const { objects, token } = await parseList(
    list(`${MORE}${object}<NextContinuationToken>n&amp;x</NextContinuationToken>`),
  )
  assert.deepEqual(objects, [{ key: 'a/b c+.txt', etag: 'e1', size: 5, changed_at: null, storage_class: '' }])
  assert.equal(token, 'n&x')
  assert.equal((await parseList(list('<IsTruncated>false</IsTruncated>'))).token, null)
})

for (const [what, xml] of [
  ['is cut off', list(object).slice(0, -10)],
  ['goes on and does not say where', list(`${MORE}${object}`)],
  ['is another document', '<html><body>Sign in</body></html>'],
  ['is empty', ''],
  ['names nothing', list('<Contents><Size>5</Size></Contents>')],
  ['tells no size', list('<Contents><Key>a</Key><Size>x</Size></Contents>')],
] as const)
  test(`a list that ${what} is refused and not treated as the end`, async () => {
    await assert.rejects(parseList(xml), /The storage service returned/)
  })

test('keys are encoded as they are signed, and keys that a URL would change are refused', () => {
  assert.equal(encodeKey("a b/ü+(1)!*'.txt"), 'a%20b/%C3%BC%2B%281%29%21%2A%27.txt')
  assert.deepEqual(['a/../b', './a', 'a/..', '..a/b..', 'a//b'].map(isAddressableKey), [
    false,
    false,
    false,
    true,
    true,
  ])
})
