// Scoped tokens use the vendor's gateway, which a local test server cannot imitate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSignedIn, openConfluenceClient } from '../confluence/client.ts'
import type { ConnectorContext } from '../connector.ts'
import { openJiraClient } from '../jira/client.ts'

function gateway() {
  const asked: { url: string; authorization: string | undefined }[] = []
  const fetch: ConnectorContext['fetch'] = async (url, request) => {
    asked.push({ url, authorization: request?.headers?.authorization })
    const body = url.endsWith('/_edge/tenant_info') ? { cloudId: '1a11d016' } : { type: 'known', key: 'AB' }
    return { status: 200, headers: {}, url, body: Buffer.from(JSON.stringify(body)) }
  }
  return { asked, fetch }
}

/** https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/ */
const SIGNED = `Basic ${Buffer.from('mia@example.com:token').toString('base64')}`

test('a scoped Jira token uses the gateway', async () => {
  const { asked, fetch } = gateway()
  const settings = { address: 'company.atlassian.net/', addressField: 'x', token: 'token', isScoped: true }
  const tracker = await openJiraClient(fetch, { ...settings, email: 'mia@example.com' })
  await tracker.checkSignedIn()
  await tracker.request('/project/AB')
  assert.deepEqual(asked, [
    { url: 'https://company.atlassian.net/_edge/tenant_info', authorization: undefined },
    { url: 'https://api.atlassian.com/ex/jira/1a11d016/rest/api/3/project/AB', authorization: SIGNED },
  ])
  assert.equal(tracker.base, 'https://company.atlassian.net')
})

test('a scoped Confluence token uses the gateway', async () => {
  const { asked, fetch } = gateway()
  const settings = { address: 'https://company.atlassian.net', isCloud: true, isScoped: true, token: 'token' }
  const wiki = await openConfluenceClient(fetch, { ...settings, username: 'mia@example.com' })
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
