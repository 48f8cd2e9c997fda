// A source cannot lead a real connector to send its credential to another origin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connector } from '../../connectors/connector.ts'
import { connectorOf, connectors } from '../../connectors/load.ts'
import type { EgressRequest, EgressResponse } from '../../egress/egress.ts'
import type { Extraction } from '../../extract/extract.ts'
import { type ConnectorContextDeps, createConnectorContext } from './connector-context.ts'
import { createHostRateLimiter } from './host-rate-limiter.ts'

// Only what is looked at.
const READ = { title: null, sections: [{ text: 'x', heading: null, anchor: null }], parts: [] } as unknown as Extraction

type Script = (url: string) => { status?: number; headers?: Record<string, string>; body?: unknown; url?: string }

function pullOf(source: string, config: object, credential_json: Record<string, unknown>, answer: Script) {
  const asked: { url: string; sent: string }[] = []
  const fetch = async (address: string | URL, { headers, body }: EgressRequest): Promise<EgressResponse> => {
    const url = String(address)
    asked.push({ url, sent: JSON.stringify([headers, body]) })
    const { status = 200, headers: more = {}, body: said = {}, url: final = url } = answer(url)
    // Only what is looked at.
    return {
      ...{ status, url: final, headers: { 'content-type': 'application/json', ...more } },
      bytes: async () => Buffer.from(typeof said === 'string' ? said : JSON.stringify(said)),
    } as unknown as EgressResponse
  }
  const nothing = () => assert.fail('not called here')
  const needs: ConnectorContextDeps = {
    egress: { fetch, connect: nothing },
    hostLimiter: createHostRateLimiter({ parallel: 4, perSecond: 0 }, Date.now),
    files: { uploads: nothing, folder: nothing, read: nothing },
    keepScan: null,
    recordings: null,
    extractor: { extract: async () => READ },
    retries: 0,
    firstRetryMs: 1,
    now: Date.now,
  }
  const connector = connectorOf(source)!
  const from = { connector, source, connectorId: null, connector_specific_config: config, credential_json }
  const range = { since: null, until: 1, checkpoint: null, only: null, recall: async () => null }
  const open = (allowed_origins: string[]) =>
    createConnectorContext(needs, { ...from, allowed_origins }, { ...range, signal: new AbortController().signal })
  return { connector, asked, open }
}

async function drain(connector: Connector, pull: ReturnType<typeof createConnectorContext>): Promise<unknown> {
  try {
    const items = []
    for await (const item of connector.load(pull)) items.push(item)
    return items
  } catch (error) {
    return error
  }
}

test('every connector with a credential declares its origins', () => {
  for (const { label, credential, origins } of connectors) {
    assert.equal(credential !== null, origins !== undefined, label)
  }
})

test('a configuration with another origin is rejected before anything is sent', () => {
  const { open, asked } = pullOf('redmine', { base_url: 'https://evil.example' }, { redmine_api_key: 'k' }, () => ({}))
  assert.throws(() => open(['https://redmine.example']), { kind: 'credential', field: 'allowed_origins' })
  assert.deepEqual(asked, [])
})

test('without a credential every address is allowed', () => {
  pullOf('redmine', { base_url: 'https://any.example' }, {}, () => ({})).open([])
})

test('a link to the next page must not leave the origin', async () => {
  const repository = { name: 'r', full_name: 'o/r', html_url: 'https://g/o/r', private: false, owner: { login: 'o' } }
  const link = '<https://evil.example/repos/o/r/issues?page=2>; rel="next"'
  const { connector, open, asked } = pullOf(
    'github',
    { repo_owner: 'o', repositories: 'r', github_base_url: 'https://g.example' },
    { github_access_token: 'secret' },
    (url) => (url.includes('/issues') ? { body: [], headers: { link } } : { body: repository }),
  )
  await drain(connector, open(['https://g.example']))
  assert.ok(asked.length > 1 && asked.every((it) => it.url.startsWith('https://g.example/')), JSON.stringify(asked))
})

test('an attachment path that changes the host is not requested', async () => {
  const page = {
    id: '1',
    title: 'T',
    type: 'page',
    space: { key: 'S', name: 'S' },
    version: { when: '2024-01-01T00:00:00.000Z', number: 1 },
    body: { storage: { value: '' } },
    ancestors: [],
    restrictions: { read: { restrictions: { user: { results: [] }, group: { results: [] } } } },
    children: {},
    _links: { webui: '/x' },
  }
  for (const download of ['.evil.example/a.txt', ':8443/a.txt', '@evil.example/a.txt']) {
    const attachment = {
      id: '2',
      title: 'a.txt',
      extensions: { fileSize: 1, mediaType: 'text/plain' },
      _links: { download, webui: '/x' },
      version: page.version,
    }
    const { connector, open, asked } = pullOf(
      'confluence',
      { wiki_base: 'https://wiki.example', is_cloud: false },
      { confluence_access_token: 'secret' },
      (url) => {
        if (url.includes('/child/attachment')) return { body: { results: [attachment], _links: {} } }
        if (url.includes('/permissions')) return { body: [] }
        if (url.includes('/content/search')) return { body: { results: [page], _links: {} } }
        return { body: url.includes('/user/current') ? { type: 'known' } : { results: [], _links: {} } }
      },
    )
    const result = await drain(connector, open(['https://wiki.example']))
    assert.ok(
      asked.every((it) => it.url.startsWith('https://wiki.example/')),
      JSON.stringify(asked.map((it) => it.url)),
    )
    assert.match(JSON.stringify(result) + String(result), /leads to|where the credential may not be sent/, download)
  }
})

test('a mail server that refers to another server does not receive the account there', async () => {
  const { connector, open, asked } = pullOf(
    'mediawiki',
    { hostname: 'http://wiki.example' },
    { mediawiki_username: 'u', mediawiki_password: 'secret' },
    (url) => ({
      url: url.replace('wiki.example', 'evil.example'),
      body: { query: { general: { server: 'http://evil.example', script: '/index.php' }, namespaces: {} } },
    }),
  )
  assert.match(String(await drain(connector, open(['http://wiki.example']))), /leads to http:\/\/evil\.example/)
  assert.ok(asked.every((it) => !it.sent.includes('secret') && it.url.startsWith('http://wiki.example/')))
})

test('a repository that redirects to another server does not receive the token there', async () => {
  const line = (text: string) => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`
  const { connector, open, asked } = pullOf(
    'git',
    { repository_url: 'https://git.example/a/b' },
    { git_access_token: 'secret' },
    (url) => ({
      url: url.replace('git.example', 'evil.example'),
      headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
      body: `${line('# service=git-upload-pack')}0000${line('version 2')}${line('fetch=filter')}0000`,
    }),
  )
  assert.match(String(await drain(connector, open(['https://git.example']))), /leads to https:\/\/evil\.example/)
  assert.equal(asked.length, 1)
})

test('Amazon buckets are one origin, and an invalid region is another host', () => {
  const keys = { aws_access_key_id: 'a', aws_secret_access_key: 'b' }
  const amazon = ['https://s3.amazonaws.com']
  const config = (more: object) => ({ bucket_name: 'one', ...more })
  for (const more of [{}, { region_name: 'eu-west-1' }, { bucket_name: 'a.b' }]) {
    pullOf('s3', config(more), keys, () => ({})).open(amazon)
  }
  for (const more of [
    { region_name: 'evil.example/#' },
    { region_name: 'eu-west-1.compute' },
    { bucket_name: 'evil/x' },
    { endpoint_url: 'https://ec2-1-2-3-4.eu-west-1.compute.amazonaws.com' },
    { endpoint_url: 'http://b.s3.eu-west-1.amazonaws.com' },
  ]) {
    const { open } = pullOf('s3', config(more), keys, () => ({}))
    assert.throws(() => open(amazon), { field: 'allowed_origins' }, JSON.stringify(more))
  }
})

test('an origin that is part of the credential is allowed', () => {
  const config = { project_owner: 'o', project_name: 'p' }
  const credential = { gitlab_url: 'https://gitlab.example', gitlab_access_token: 'secret' }
  const pull = pullOf('gitlab', config, credential, () => ({})).open([])
  return assert.rejects(pull.fetch('https://evil.example/api/v4'), { kind: 'unexpected' })
})
