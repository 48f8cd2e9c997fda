// The S3 connector against a fake service, for rare responses. test/servers/s3.test.ts uses a real one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOf, openBucket } from './bucket.ts'
import { startWithConnectors } from './setup.ts'

const { ok, pull, ended, detail, documents } = await startWithConnectors()
const bucketAt = (endpoint_url: string) => ({
  source: 's3',
  connector_specific_config: { bucket_name: 'bucket', endpoint_url },
  refresh_freq: null,
  prune_freq: null,
})

test('keys that expire during a run fail it with a reason; the next run resumes and loses nothing', async () => {
  const { site, state, count } = await openBucket()
  state.expiresAt = 100
  const body = { credential_json: keysOf('first-key'), admin_public: true, source: 's3' }
  const credential = (await ok('POST', '/manage/credential', { body })).id
  const pair = await pull('Expiring', bucketAt(site.url), {
    credential,
  })
  const failed = await ended(pair)
  assert.equal(failed.status, 'failed', JSON.stringify(failed))
  assert.match(failed.error_msg, /^credential_json\.aws_secret_access_key: .*ExpiredToken/)
  assert.equal((await detail(pair)).status, 'INVALID')
  const before = (await documents(pair)).length
  await ok('PUT', `/manage/admin/credential/${credential}`, {
    body: { name: 'new', credential_json: keysOf('second-key') },
  })
  const renewed = await ended(pair, 2)
  assert.deepEqual([renewed.status, renewed.error_msg], ['success', null])
  assert.ok((await documents(pair)).length >= before)
  assert.equal((await documents(pair)).length, count)
})
