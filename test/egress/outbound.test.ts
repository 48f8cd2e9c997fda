// Rows S1 to S14 of the table "Outbound": addresses that may be called.
// S18 to S21 are tested with the web connector, S22 with the tool definitions
// (src/domain/tools/definition-limits.test.ts, test/api/egress.test.ts).
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AppError } from '../../src/domain/errors.ts'
import { EgressError, openEgress } from '../../src/egress/egress.ts'
import { asker, listen, openFakeInternet, PUBLIC, rawServer, refuses, row, startCanary } from './fake-internet.ts'

const hello: RequestListener = (_request, response) => response.end('hello')
const everything = { allow: '0.0.0.0/0, [::]/0', isApproved: async () => true }
const adminTarget = { profile: 'admin-target' as const }

row('only http and https are allowed [S1]', {}, async ({ fetch }) => {
  for (const url of [
    'file:///etc/passwd',
    'gopher://a/',
    'ftp://a/',
    'data:,x',
    'javascript:alert(1)',
    'dict://a/',
    'unix:/run/x',
  ])
    await refuses(fetch(url), 'scheme', url)
  for (const url of ['', 'etc/passwd', '//a/', 'http://', 'http://a b/', 'http://%/'])
    await refuses(fetch(url), 'url', url)
})

const LOOPBACK_FORMS = [
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127.0.0.1.',
]

row('loopback in every notation is refused [S2]', {}, async (internet) => {
  internet.name('localhost', '127.0.0.1', '::1')
  for (const host of ['localhost', ...LOOPBACK_FORMS])
    for (const port of [80, 9999])
      await refuses(internet.fetch(`http://${host}:${port}/`, adminTarget), 'private', host)
})

test('with the real resolver and sockets a loopback listener gets no connection [S2]', async () => {
  const canary = await startCanary('127.0.0.1')
  const settings = { proxy: '', own: () => [], isApproved: async () => false }
  const [egress, open] = [openEgress({ ...settings, allow: '' }), openEgress({ ...settings, allow: '127.0.0.1' })]
  const request = { ...adminTarget, asker, signal: AbortSignal.timeout(10_000) }
  for (const host of ['localhost', ...LOOPBACK_FORMS, '[::1]', '[::ffff:127.0.0.1]'])
    await refuses(egress.fetch(`http://${host}:${canary.port}/`, request), 'private', host)
  for (const host of ['0', '0.0.0.0', '[::]', '[::7f00:1]'])
    await refuses(egress.fetch(`http://${host}:${canary.port}/`, request), 'never', host)
  assert.equal(canary.connections, 0)
  assert.equal(
    await (await open.fetch(`http://127.1:${canary.port}/`, request)).text(),
    'secret',
    'the canary is alive',
  )
  await Promise.all([egress.close(), open.close()])
})

row('unspecified, mapped, translated and link-local addresses are refused [S3]', {}, async ({ fetch }) => {
  for (const host of [
    '0',
    '0.0.0.0',
    '[::]',
    '[::ffff:169.254.169.254]',
    '[::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ])
    await refuses(fetch(`http://${host}/`, adminTarget), 'never', host)
  for (const host of [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::808:808]',
    '[fd12::1]',
    '[2001:db8::1]',
    '[fec0::1]',
    '[4000::1]',
  ])
    await refuses(fetch(`http://${host}/`, adminTarget), 'private', host)
  await refuses(fetch('http://[fe80::1%25eth0]/', adminTarget), 'url')
})

const PRIVATE = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.0.1',
  '240.0.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

row(
  'private, shared, test, reserved and multicast ranges are refused, and the message names the setting [S4]',
  {},
  async (internet) => {
    for (const host of PRIVATE) await refuses(internet.fetch(`http://${host}/`, adminTarget), 'private', host)
    internet.name('wiki.corp', '10.1.2.3')
    internet.name('wiki.corp.', '10.1.2.3')
    const { code, host, message } = await refuses(internet.fetch('http://wiki.corp:8443/'), 'private')
    assert.deepEqual([code, host], ['EGRESS_REFUSED', 'wiki.corp'])
    assert.equal(
      message,
      'wiki.corp is not on the public internet. To allow it, start the service with EGRESS_ALLOW=wiki.corp:8443.',
    )
    const { message: plain } = await refuses(internet.fetch('https://wiki.corp/', adminTarget), 'private')
    assert.match(
      plain,
      /EGRESS_ALLOW=wiki\.corp, or let an administrator approve the host: POST \/admin\/egress\/approval \{"host":"wiki\.corp"\}\.$/,
    )
    const { message: ported } = await refuses(internet.fetch('https://wiki.corp.:8443/', adminTarget), 'private')
    assert.match(ported, /POST \/admin\/egress\/approval \{"host":"wiki\.corp","port":8443\}\.$/)
  },
)

row(
  'an entry allows exactly what it names [S4]',
  { allow: 'wiki.corp:8443, 10.0.0.0/8:9000, [fd00::]/8' },
  async (internet) => {
    const server = createServer(hello)
    await internet.place('192.168.0.5', 8443, server)
    await internet.place('10.9.9.9', 9000, createServer(hello))
    await internet.place('fd00::5', 81, createServer(hello))
    internet.name('wiki.corp', '192.168.0.5')
    internet.name('wiki.corp.', '192.168.0.5')
    internet.name('other.corp', '10.9.9.9')
    for (const url of [
      'http://wiki.corp:8443/',
      'http://WIKI.corp.:8443/',
      'http://other.corp:9000/',
      'http://[fd00::5]:81/',
    ]) {
      assert.equal(await (await internet.fetch(url)).text(), 'hello', url)
    }
    for (const url of ['http://wiki.corp/', 'http://192.168.0.5:8443/', 'http://other.corp/', 'http://10.9.9.9:9001/'])
      await refuses(internet.fetch(url), 'private', url)
  },
)

row(
  'an approval allows a host for admin targets only [S4]',
  { isApproved: async (host, port) => host === 'wiki.corp' && port === 80 },
  async (internet) => {
    await internet.site('wiki.corp', hello, { address: '10.0.0.5' })
    assert.equal(await (await internet.fetch('http://wiki.corp/', adminTarget)).text(), 'hello')
    await refuses(internet.fetch('http://wiki.corp/'), 'private')
    await refuses(internet.fetch('http://10.0.0.5/', adminTarget), 'private')
  },
)

row('approvals see one spelling of a host [S4]', {}, async () => {
  const asked: string[] = []
  const internet = await openFakeInternet({
    isApproved: async (host, port) => {
      asked.push(`${host} ${port}`)
      return false
    },
  })
  internet.name('wiki.corp', '10.0.0.5')
  internet.name('wiki.corp.', '10.0.0.5')
  for (const url of [
    'http://WIKI.corp./',
    'https://wiki.corp:8443/',
    'http://[::ffff:10.0.0.9]/',
    'http://[FD00:0::1]/',
  ])
    await refuses(internet.fetch(url, adminTarget), 'private', url)
  assert.deepEqual(asked, ['wiki.corp 80', 'wiki.corp 8443', '10.0.0.9 80', 'fd00::1 80'])
})

row('the message omits approvals if they are disabled [S4]', { isApproved: null }, async (internet) => {
  const { message } = await refuses(internet.fetch('http://10.0.0.5/', adminTarget), 'private')
  assert.match(message, /EGRESS_ALLOW=10\.0\.0\.5\.$/)
})

row('a suffix entry allows its subdomains [S4]', { allow: '*.wiki.corp:80' }, async (internet) => {
  await internet.site('a.b.wiki.corp', hello, { address: '10.0.0.5' })
  assert.equal(await (await internet.fetch('http://a.b.wiki.corp/')).text(), 'hello')
  for (const name of ['wiki.corp', 'evilwiki.corp', 'a.wiki.corp.evil.example']) {
    internet.name(name, '10.0.0.5')
    await refuses(internet.fetch(`http://${name}/`), 'private', name)
  }
})

row('refusals are recorded with caller and rule', { own: () => own() }, async (internet) => {
  internet.name('wiki.corp.', '10.0.0.5')
  internet.name('db.corp', '10.0.0.9')
  internet.name('site.example', PUBLIC)
  await refuses(internet.fetch('http://WIKI.corp.:8443/', adminTarget), 'private')
  await refuses(internet.fetch('http://169.254.169.254/'), 'never')
  await refuses(internet.fetch('http://db.corp:5432/'), 'own')
  await refuses(internet.fetch('http://site.example:22/'), 'port')
  await refuses(internet.fetch('ftp://site.example/'), 'scheme')
  await refuses(internet.fetch('http://missing.example/'), 'resolve')
  assert.deepEqual(internet.refusals, [
    { host: 'wiki.corp', port: 8443, rule: 'private', profile: 'admin-target', asker },
    { host: '169.254.169.254', port: 80, rule: 'never', profile: 'public-only', asker },
    { host: 'db.corp', port: 5432, rule: 'own', profile: 'public-only', asker },
    { host: 'site.example', port: 22, rule: 'port', profile: 'public-only', asker },
  ])
})

row('a check returns what a call would, without calling, and is recorded only with a caller', {}, async (internet) => {
  const check = (url: string, who: typeof asker | null = null) =>
    internet.egress.check(url, { ...adminTarget, asker: who, signal: AbortSignal.timeout(10_000) })
  internet.name('site.example', PUBLIC)
  assert.deepEqual(await check('http://site.example:8080/x'), {
    host: 'site.example',
    port: 8080,
    addresses: [PUBLIC],
  })
  await assert.rejects(check('http://10.0.0.1/'), { reason: 'private' })
  await assert.rejects(check('file:///etc/passwd'), { reason: 'scheme' })
  await assert.rejects(check('http://user:pass@site.example/'), { reason: 'userinfo' })
  await assert.rejects(check('http://169.254.169.254/'), { reason: 'never' })
  assert.deepEqual([internet.opened, internet.refusals], [[], []])
  await assert.rejects(check('http://10.0.0.1/', asker), { reason: 'private' })
  assert.equal(internet.refusals.length, 1)
})

test('an error of the approval store is passed on', async () => {
  const internet = await openFakeInternet({ isApproved: () => Promise.reject(new AppError('STORE_UNAVAILABLE')) })
  await assert.rejects(internet.fetch('http://10.0.0.1/', adminTarget), { code: 'STORE_UNAVAILABLE' })
  assert.deepEqual(internet.opened, [])
})

row('no setting and no approval opens a metadata service [S5]', everything, async (internet) => {
  internet.name('metadata.google.internal', '169.254.169.254')
  internet.name('wiki.corp', '169.254.1.1')
  for (const host of [
    '169.254.169.254',
    'metadata.google.internal',
    'wiki.corp',
    '168.63.129.16',
    '100.100.100.200',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '192.0.0.192',
    '0.0.0.0',
  ])
    await refuses(internet.fetch(`http://${host}/`, adminTarget), 'never', host)
  await assert.rejects(
    internet.egress.connect('169.254.169.254', 80, {
      ...adminTarget,
      asker,
      tls: false,
      signal: AbortSignal.timeout(1000),
    }),
    { reason: 'never' },
  )
})

const own = () => [
  { host: '0.0.0.0', port: 8080 },
  { host: 'db.corp', port: 5432 },
  { host: '127.0.0.1', port: 9200 },
]

row(
  "the service's own listener and back ends are never called, whatever their name [S6]",
  { ...everything, own },
  async (internet) => {
    for (const [name, ...addresses] of [
      ['db.corp', '10.0.0.9'],
      ['alias.corp', '10.0.0.9'],
      ['me.example', '192.0.2.7'],
      ['both.example', PUBLIC, '10.0.0.9'],
    ])
      internet.name(name!, ...addresses)
    for (const url of [
      'http://127.0.0.1:8080/',
      'http://127.8.8.8:8080/',
      'http://[::1]:8080/',
      'http://me.example:8080/',
      'http://db.corp:5432/',
      'http://alias.corp:5432/',
      'http://both.example:5432/',
      'http://[::ffff:10.0.0.9]:5432/',
      'http://127.0.0.1:9200/',
    ])
      await refuses(internet.fetch(url, adminTarget), 'own', url)
  },
)

row('an unresolvable back end allows nothing [S6]', { ...everything, own }, async (internet) => {
  await refuses(internet.fetch('http://10.0.0.9:5432/', adminTarget), 'resolve')
})

row('a name with one private address is refused entirely [S7]', {}, async (internet) => {
  internet.name('half.example', PUBLIC, '10.0.0.1')
  internet.name('six.example', PUBLIC, 'fd00::1')
  internet.name('floor.example', PUBLIC, '169.254.169.254')
  await refuses(internet.fetch('http://half.example/'), 'private')
  await refuses(internet.fetch('http://six.example/'), 'private')
  await refuses(internet.fetch('http://floor.example/'), 'never')
  assert.deepEqual(internet.opened, [])
})

row(
  'a name that turns private after the first lookup is called at the first address only [S8]',
  {},
  async (internet) => {
    await internet.site('flip.example', (request, response) => response.end(request.headers.host))
    internet.names('flip.example', [PUBLIC], ['127.0.0.1'])
    assert.equal(await (await internet.fetch('http://flip.example/')).text(), 'flip.example')
    assert.deepEqual([internet.asked, internet.opened], [['flip.example'], [`${PUBLIC} 80`]])
    await refuses(internet.fetch('http://flip.example/'), 'private', 'the open connection does not lend its judgement')
  },
)

row('a failing, empty or invalid resolver answer allows nothing [S8]', {}, async (internet) => {
  internet.name('empty.example')
  internet.name('odd.example', '0127.0.0.1')
  await refuses(internet.fetch('http://missing.example/'), 'resolve')
  await refuses(internet.fetch('http://empty.example/'), 'resolve')
  await refuses(internet.fetch('http://odd.example/'), 'never')
})

const TO_PRIVATE = ['http://127.0.0.1/', 'http://inner.corp/', '//[::1]', 'http://2130706433/']

row('every redirect is authorized [S9]', {}, async (internet) => {
  internet.name('inner.corp', '10.0.0.1')
  await internet.site('site.example', (request, response) => {
    const to = new URL(request.url!, 'http://x/').searchParams
    response.writeHead(Number(to.get('status')), { location: to.get('to')! }).end()
  })
  const redirect = (to: string, status = 302) =>
    internet.fetch(`http://site.example/?${new URLSearchParams({ to, status: `${status}` })}`)
  for (const status of [301, 302, 303, 307, 308])
    for (const to of TO_PRIVATE) await refuses(redirect(to, status), 'private', to)
  await refuses(redirect('http://169.254.169.254/latest/'), 'never')
  await refuses(redirect('file:///etc/passwd'), 'scheme')
  await refuses(redirect('http://user:pass@site.example/'), 'userinfo')
  await refuses(redirect('http://site.example:6379/'), 'port')
  await refuses(redirect('http://%/'), 'url')
})

row("a redirect to another port is no longer the administrator's target [S9]", {}, async (internet) => {
  await internet.site(
    'site.example',
    (_request, response) => response.writeHead(302, { location: '//site.example:22/' }).end(),
    { port: 8443 },
  )
  await refuses(internet.fetch('http://site.example:8443/', adminTarget), 'port')
})

row('a redirect keeps headers and method on the same origin only, even after returning [S9]', {}, async (internet) => {
  const seen: [string, string, Record<string, unknown>][] = []
  const listener: RequestListener = (request, response) => {
    const { 'x-api-key': key, authorization, cookie, 'content-type': type } = request.headers
    seen.push([request.method!, `${request.headers.host}${request.url}`, { key, authorization, cookie, type }])
    const next: Record<string, string> = { '/1': '/2', '/2': 'http://b.example/3', '/3': 'http://a.example/4' }
    if (next[request.url!] === undefined) response.end('done')
    else response.writeHead(302, { location: next[request.url!] }).end()
  }
  await internet.site('a.example', listener)
  await internet.site('b.example', listener, { address: '93.184.216.35' })
  const headers = { 'X-Api-Key': 'k', Authorization: 'Bearer s', Cookie: 'c=1', 'Content-Type': 'text/plain' }
  const answer = await internet.fetch('http://a.example/1', { method: 'POST', body: 'x', headers })
  assert.deepEqual([await answer.text(), answer.url], ['done', 'http://a.example/4'])
  const secrets = { key: 'k', authorization: 'Bearer s', cookie: 'c=1' }
  const none = { key: undefined, authorization: undefined, cookie: undefined, type: undefined }
  assert.deepEqual(seen, [
    ['POST', 'a.example/1', { ...secrets, type: 'text/plain' }],
    ['GET', 'a.example/2', { ...secrets, type: undefined }],
    ['GET', 'b.example/3', none],
    ['GET', 'a.example/4', none],
  ])
})

row('a body is resent to the same origin only [S9]', {}, async (internet) => {
  const seen: string[] = []
  await internet.site('a.example', async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await text(request)}`)
    if (request.url === '/end') response.end('done')
    else response.writeHead(307, { location: request.url === '/in' ? '/end' : 'http://b.example/' }).end()
  })
  await internet.site('b.example', hello, { address: '93.184.216.35' })
  assert.equal(await (await internet.fetch('http://a.example/in', { method: 'PUT', body: 'x' })).text(), 'done')
  assert.deepEqual(seen, ['PUT /in x', 'PUT /end x'])
  await refuses(internet.fetch('http://a.example/out', { method: 'POST', body: 'client_secret=1' }), 'carried')
  await refuses(internet.fetch('http://a.example/out', { method: 'DELETE' }), 'carried')
})

row('a meta refresh is not followed [S9]', {}, async (internet) => {
  const page = '<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">'
  await internet.site('site.example', (_request, response) =>
    response.writeHead(200, { refresh: '0;url=http://127.0.0.1/' }).end(page),
  )
  assert.equal(await (await internet.fetch('http://site.example/')).text(), page)
})

row('a redirect loop ends after five redirects [S10]', {}, async (internet) => {
  let requests = 0
  await internet.site('site.example', (request, response) => {
    requests += 1
    const hops = Number(request.url!.slice(1))
    if (hops === 0) response.end('arrived')
    else response.writeHead(301, { location: hops > 100 ? request.url : `/${hops - 1}` }).end('x'.repeat(hops))
  })
  await refuses(internet.fetch('http://site.example/999'), 'redirects')
  assert.equal(requests, 6)
  await refuses(internet.fetch('http://site.example/6'), 'redirects')
  assert.equal(await (await internet.fetch('http://site.example/5')).text(), 'arrived')
  await refuses(internet.fetch('http://site.example/1', { limits: { redirects: 0 } }), 'redirects')
})

row('the body of a redirect is not awaited [S10]', {}, async (internet) => {
  internet.name('site.example', PUBLIC)
  const head = 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 10000000000\r\n\r\n'
  await internet.place(
    PUBLIC,
    80,
    rawServer(head + 'x'.repeat(1000), () => {}),
  )
  await refuses(internet.fetch('http://site.example/', { limits: { timeoutMs: 5000 } }), 'redirects')
})

row(
  'a public host is called on ports 80 and 443 and allowed ports only [S11]',
  { allow: 'site.example:9200' },
  async (internet) => {
    await internet.site('site.example', hello, { port: 9200 })
    for (const port of [22, 25, 6379, 8080]) {
      const { message } = await refuses(internet.fetch(`http://site.example:${port}/`), 'port')
      assert.match(message, new RegExp(`EGRESS_ALLOW=site\\.example:${port}\\.$`))
    }
    assert.equal(await (await internet.fetch('http://site.example:9200/')).text(), 'hello')
  },
)

row('a port that an administrator configured is allowed [S11]', {}, async (internet) => {
  await internet.site('site.example', hello, { port: 8443 })
  assert.equal(await (await internet.fetch('http://site.example:8443/', adminTarget)).text(), 'hello')
})

row('user info is refused, and URL tricks are normalized once [S12]', {}, async (internet) => {
  await internet.site('site.example', (request, response) => response.end(request.headers.host))
  for (const url of [
    'http://user:pass@site.example/',
    'http://user@site.example/',
    'http://a@127.0.0.1#@b',
    'http://site.example\t@127.0.0.1/',
    'http:\\\\site.example@127.0.0.1/',
  ])
    assert.doesNotMatch((await refuses(internet.fetch(url), 'userinfo', url)).message, /pass@|user[:@]/)
  for (const url of [
    'http:\\\\site.example\\@127.0.0.1',
    ' ht\ntp://site.ex\tample/ ',
    'http://site.example#@127.0.0.1/',
    'http:site.example',
    'http://SITE.example?@127.0.0.1',
  ])
    assert.equal(await (await internet.fetch(url)).text(), 'site.example', url)
  for (const url of [
    'http://127.0.0.1\\@site.example',
    'http://127.0.0.1#@site.example',
    'http://127.0.0.1?@site.example',
    'http:/127.0.0.1',
  ])
    await refuses(internet.fetch(url), 'private', url)
})

row('callers cannot set transport headers [S12]', {}, async (internet) => {
  await internet.site('site.example', hello)
  for (const name of [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Upgrade',
    'Proxy-Authorization',
    'Expect',
    'a b',
  ])
    await refuses(internet.fetch('http://site.example/', { headers: { [name]: 'x' } }), 'header', name)
  for (const value of ['a\r\nx-other: b', 'a\0', 'ключ'])
    await refuses(internet.fetch('http://site.example/', { headers: { 'x-key': value } }), 'header', value)
})

row('names are authorized by their addresses only [S13]', {}, async (internet) => {
  for (const [name, address] of Object.entries({
    'localhost.': '127.0.0.1',
    'a.localhost': '127.0.0.1',
    'x.internal': '10.0.0.1',
    '127.0.0.1.nip.io': '127.0.0.1',
    'xn--ggle-55da.example': '10.0.0.1',
  }))
    internet.name(name, address)
  for (const host of ['LOCALHOST.', 'a.localhost', 'x.internal', '127.0.0.1.nip.io', 'gооgle.example'])
    await refuses(internet.fetch(`http://${host}/`), 'private', host)
  await internet.site('public.internal', hello)
  assert.equal(await (await internet.fetch('http://public.internal/')).text(), 'hello')
})

test('proxy environment variables are ignored [S14]', async () => {
  const internet = await openFakeInternet()
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  for (const name of names) process.env[name] = `http://127.0.0.3:${internet.canary.port}`
  try {
    await internet.site('site.example', hello)
    assert.equal(await (await internet.fetch('http://site.example/')).text(), 'hello')
    assert.equal(internet.canary.connections, 0)
  } finally {
    for (const name of names) delete process.env[name]
  }
})

row(
  'the guard runs before the proxy, which receives the authorized address [S14]',
  { proxy: 'http://me:p%40ss@proxy.corp:3128' },
  async (internet) => {
    const tunnels: unknown[] = []
    const site = await listen(
      createServer((request, response) => response.end(request.headers.host)),
      '127.0.0.2',
    )
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push([request.url, request.headers['proxy-authorization']])
      if (request.url !== `${PUBLIC}:80`) return socket.end('HTTP/1.1 403 No\r\n\r\n')
      const onward = connect(site, '127.0.0.2', () => socket.write('HTTP/1.1 200 Fine\r\n\r\n'))
      socket.pipe(onward).pipe(socket)
    })
    await internet.place('10.0.0.3', 3128, proxy)
    internet.name('proxy.corp', '10.0.0.3')
    internet.name('site.example', PUBLIC)
    internet.name('inner.corp', '10.0.0.1')
    assert.equal(await (await internet.fetch('http://site.example/')).text(), 'site.example')
    await refuses(internet.fetch('http://inner.corp/'), 'private')
    await refuses(internet.fetch('http://proxy.corp:3128/', adminTarget), 'own')
    assert.deepEqual(tunnels, [[`${PUBLIC}:80`, `Basic ${btoa('me:p@ss')}`]])
    const { message } = await refuses(internet.fetch('https://site.example/'), 'proxy')
    assert.match(message, /returned HTTP 403 to CONNECT 93\.184\.216\.34:443/)
  },
)

test('an invalid proxy setting stops the start [S14]', () => {
  for (const proxy of [
    'proxy.corp:3128',
    'https://proxy.corp/path',
    'http://proxy.corp?x',
    'socks5://proxy.corp',
    'http://proxy.corp/path',
    'http://',
  ])
    assert.throws(
      () => openEgress({ allow: '', proxy, own: () => [], isApproved: async () => false }),
      (error) => error instanceof EgressError && error.code === 'EGRESS_SETTING',
    )
})

row(
  'a socket for another protocol is judged the same way, and ends with its signal',
  { allow: 'mail.corp:143' },
  async (internet) => {
    await internet.site('mail.corp', hello, { address: '10.0.0.8', port: 143 })
    internet.name('imap.example', PUBLIC)
    const stop = new AbortController()
    const request = { profile: 'public-only' as const, asker, tls: false, signal: stop.signal }
    await assert.rejects(internet.egress.connect('imap.example', 993, request), { reason: 'port' })
    for (const host of ['127.0.0.1', '::1', '[::1]', '2130706433'])
      await assert.rejects(internet.egress.connect(host, 80, request), { reason: 'private' }, host)
    for (const host of ['', 'a/b', 'a?b', 'a#b', 'mail.corp:143', 'fe80::1%lo'])
      await assert.rejects(internet.egress.connect(host, 143, request), { reason: 'url' }, host)
    const socket = await internet.egress.connect('mail.corp', 143, request)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    stop.abort()
    await closed
  },
)

row('the caller can abort and gets its own reason', {}, async (internet) => {
  await internet.site('site.example', () => {})
  const stop = new AbortController()
  const answer = internet.fetch('http://site.example/', { signal: stop.signal })
  setImmediate(() => stop.abort(new Error('enough')))
  await assert.rejects(answer, /enough/)
  await assert.rejects(internet.fetch('http://site.example/', { signal: stop.signal }), /enough/)
})
