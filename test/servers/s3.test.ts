// The S3 connector against a real MinIO, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite } from '../connectors/site.ts'
import { killWhileReading } from '../crash/connector.ts'
import { killedS3 } from './killed-sources.ts'
import { KEYS, onMinio, REGION } from './start-minio.ts'

await onMinio(async (minio) => {
  const { ok, pull, ended, documents, runAgain, prune, found, search, refused, until } = await startWithConnectors()
  const source = (bucket_name: string, more: object = {}) => ({
    source: 's3',
    connector_specific_config: { bucket_name, endpoint_url: minio.url, ...more },
    refresh_freq: null,
    prune_freq: null,
  })
  const credentialOf = async (credential_json: object): Promise<number> => {
    const body = { credential_json, admin_public: true, source: 's3' }
    return (await ok('POST', '/manage/credential', { body })).id
  }
  const credential = await credentialOf({ authentication_method: 'access_key', ...KEYS })
  const keysOf = async (pair: number) =>
    (await documents(pair)).map((it) => decodeURIComponent(new URL(it).pathname)).sort()
  const finds = (word: string, keys: string[]) =>
    until(async () => {
      const there = (await found(word)).map((it) => decodeURIComponent(new URL(it).pathname))
      return JSON.stringify(there.sort()) === JSON.stringify(keys) && there
    }, `"${word}" to find ${keys}`)

  test('a bucket is read with any keys and types; changed objects are read again, deleted ones pruned', async () => {
    await minio.createBucket('depot')
    const odd = "sp ace/ü&=+?#'(1)!*.txt"
    await minio.put('depot', 'note.txt', 'A note about marmots.')
    await minio.put('depot', odd, 'An odd name.')
    await minio.put('depot', 'page', '<title>A page</title><main><p>Of capybaras.</p></main>', 'text/html')
    await minio.put('depot', 'script.rb', 'puts "gecko"')
    await minio.put('depot', 'picture.png', Buffer.from([0x89, 0x50, 0]))
    await minio.put('depot', 'folder/', '')
    const pair = await pull('Depot', source('depot'), { credential })
    const attempt = await ended(pair)
    assert.deepEqual([attempt.status, attempt.error_count], ['success', 0], JSON.stringify(attempt))
    const all = ['/depot/note.txt', '/depot/page', '/depot/script.rb', `/depot/${odd}`]
    assert.deepEqual(await keysOf(pair), all)
    await finds('marmots', ['/depot/note.txt'])
    await finds('gecko', ['/depot/script.rb'])
    await finds('capybaras', ['/depot/page'])
    const [hit] = (await search('marmots')).results
    assert.deepEqual([hit.semantic_identifier, hit.metadata], ['note.txt', { bucket: 'depot', key: 'note.txt' }])
    assert.ok(Date.now() - Date.parse(hit.updated_at) < 3_600_000)

    await minio.put('depot', 'note.txt', 'A note about chinchillas.')
    await minio.put('depot', 'page', null)
    const again = await runAgain(pair)
    assert.deepEqual([again.status, again.total_docs_indexed, again.new_docs_indexed], ['success', 3, 0])
    await finds('chinchillas', ['/depot/note.txt'])
    await finds('marmots', [])
    const { removed, error } = await prune(pair)
    assert.deepEqual([removed, error], [1, null])
    assert.deepEqual(
      await keysOf(pair),
      all.filter((it) => it !== '/depot/page'),
    )
  })

  test('a prefix and more than one page of objects are read', async () => {
    await minio.createBucket('large')
    const keys = Array.from({ length: 1_050 }, (_, at) => `in/${at}.txt`)
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((it) => minio.put('large', it, `Object ${it}.`)))
    }
    await minio.put('large', 'out.txt', 'Outside.')
    const pair = await pull('Large', source('large', { prefix: 'in/', region_name: REGION }), { credential })
    const { status, total_docs_indexed } = await ended(pair)
    assert.deepEqual([status, total_docs_indexed], ['success', 1_050])
    assert.deepEqual((await prune(pair)).removed, 0)
  })

  test('a public bucket needs no credential', async () => {
    await minio.createBucket('public')
    await minio.put('public', 'open.txt', 'For everybody.')
    await minio.open('public')
    const pair = await pull('Public', source('public'))
    assert.equal((await ended(pair)).total_docs_indexed, 1)
  })

  test('an unusable configuration is rejected at association, with the field and the server response', async () => {
    const refusal = async (name: string, connector: object, given = credential) => {
      const body = { name, input_type: 'poll', access_type: 'PUBLIC', ...connector }
      const { id } = await ok('POST', '/manage/admin/connector', { body })
      return (await refused('PUT', `/manage/admin/connector/${id}/credential/${given}`, {}, 400)).detail
    }
    const site = await openSite(() => ({ body: 'A page.' }))
    const other = { endpoint_url: site.url }
    assert.match(await refusal('None', source('nothing')), /config\.bucket_name: Bucket "nothing" does not exist\./)
    assert.match(await refusal('Region', source('depot', { region_name: 'xx-1' })), /config\.region_name: /)
    assert.match(await refusal('Page', source('depot', other)), /returned an incomplete or unexpected list/)
    assert.match(
      await refusal('Closed', source('depot'), 0),
      /aws_secret_access_key: This credential may not list the bucket/,
    )
    const wrong = await credentialOf({ ...KEYS, aws_secret_access_key: 'wrong' })
    assert.match(await refusal('Wrong', source('depot'), wrong), /aws_secret_access_key: .*SignatureDoesNotMatch/)
    const unknown = await credentialOf({ ...KEYS, aws_access_key_id: 'unknown' })
    assert.match(await refusal('Unknown', source('depot'), unknown), /aws_access_key_id: .*InvalidAccessKeyId/)
    const role = await credentialOf({ authentication_method: 'iam_role' })
    assert.match(await refusal('Role', source('depot'), role), /authentication_method: .*Use access_key/)
    const half = await credentialOf({ aws_access_key_id: 'x' })
    assert.match(await refusal('Half', source('depot'), half), /credential_json\.aws_secret_access_key/)
  })

  test('a killed run resumes and reads the same documents', { timeout: 600_000 }, async (t) =>
    killWhileReading(t, 2, await killedS3(minio, 300)),
  )
})
