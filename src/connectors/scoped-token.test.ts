// A token with scopes goes through the gateway of the vendor, whose name no server on this machine has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSignedIn, openWiki } from './confluence-api.ts'
import type { Pull } from './connector.ts'
import { openTracker } from './ticket-tracker-api.ts'

function gateway() {
  const asked: { url: string; authorization: string | undefined }[] = []
  const fetch: Pull['fetch'] = async (url, request) => {
    asked.push({ url, authorization: request?.headers?.authorization })
    const body = url.endsWith('/_edge/tenant_info') ? { cloudId: '1a11d016' } : { type: 'known', key: 'AB' }
    return { status: 200, headers: {}, url, body: Buffer.from(JSON.stringify(body)) }
  }
  return { asked, fetch }
}

/** https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/ */
const SIGNED = `Basic ${Buffer.from('mia@example.com:token').toString('base64')}`

test('a tracker', async () => {
  const { asked, fetch } = gateway()
  const settings = { address: 'company.atlassian.net/', addressField: 'x', token: 'token', isScoped: true }
  const tracker = await openTracker(fetch, { ...settings, email: 'mia@example.com' })
  await tracker.checkSignedIn()
  await tracker.ask('/project/AB')
  assert.deepEqual(asked, [
    { url: 'https://company.atlassian.net/_edge/tenant_info', authorization: undefined },
    { url: 'https://api.atlassian.com/ex/jira/1a11d016/rest/api/3/project/AB', authorization: SIGNED },
  ])
  assert.equal(tracker.base, 'https://company.atlassian.net')
})

test('a wiki', async () => {
  const { asked, fetch } = gateway()
  const settings = { address: 'https://company.atlassian.net', isCloud: true, isScoped: true, token: 'token' }
  const wiki = await openWiki(fetch, { ...settings, username: 'mia@example.com' })
  await checkSignedIn(wiki)
  assert.deepEqual(asked, [
    { url: 'https://company.atlassian.net/_edge/tenant_info', authorization: undefined },
    {
      url: 'https://api.atlassian.com/ex/confluence/1a11d016/wiki/rest/api/user/current',
      authorization: SIGNED,
    },
  ])
  assert.equal(wiki.base, 'https://company.atlassian.net/wiki')
})
