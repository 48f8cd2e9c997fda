// Rows S15 to S17 and S23 of the table "Outbound": hostile responses.
// The rest of S23, truncated tool results, is tested with the tools.
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { makeAuthority } from './certificate.ts'
import {
  asker,
  type FakeInternet,
  listen,
  openFakeInternet,
  PUBLIC,
  rawServer,
  refuses,
  row,
  tlsServer,
} from './fake-internet.ts'

const MIB = 1 << 20
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

/** Makes http://site.example/ respond with these bytes. */
async function answers(internet: FakeInternet, bytes: string | Buffer, and?: (socket: Socket) => void): Promise<void> {
  internet.name('site.example', PUBLIC)
  await internet.place(PUBLIC, 80, rawServer(bytes, and))
}

const packed = (encoding: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(head(`Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`)), bytes])

row('an endless response is cut at 20 MiB [S15]', {}, async (internet) => {
  let sent = 0
  const piece = Buffer.alloc(MIB)
  await answers(internet, head('Content-Length: 10737418240'), (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length
    }
    more()
    socket.on('drain', more)
  })
  const { message, code } = await refuses(internet.fetch('http://site.example/'), 'size')
  assert.deepEqual([code, message], ['EGRESS_LIMIT', 'The response of site.example is larger than 20971520 bytes.'])
  assert.ok(sent < 40 * MIB, `${sent} bytes were taken`)
})

row('endless chunks are cut at a configurable limit [S15]', {}, async (internet) => {
  await answers(internet, head('Transfer-Encoding: chunked'), (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
    }
    more()
    socket.on('drain', more)
  })
  await refuses(internet.fetch('http://site.example/', { limits: { bytes: 100_000 } }), 'size')
})

row('a server that drips bytes hits the deadline, in headers and body [S15]', {}, async (internet) => {
  for (const bytes of ['HTTP/1.1 200 OK\r\nX-Slow: ', head('Content-Length: 1000000')]) {
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write('x'), 20)
      socket.once('close', () => clearInterval(timer))
    }
    await answers(internet, bytes, drip)
    const { code } = await refuses(internet.fetch('http://site.example/', { limits: { timeoutMs: 200 } }), 'time')
    assert.equal(code, 'EGRESS_LIMIT')
  }
})

row('the deadline includes DNS resolution and redirects [S15]', {}, async (internet) => {
  let requests = 0
  await internet.site('site.example', (_request, response) => {
    requests += 1
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
  })
  await refuses(internet.fetch('http://site.example/', { limits: { timeoutMs: 150 } }), 'time')
  assert.ok(requests <= 3)
})

row('a wrong Content-Length neither adds nor drops bytes [S15]', {}, async (internet) => {
  await answers(internet, `${head('Content-Length: 5')}hello and more`)
  assert.equal(await (await internet.fetch('http://site.example/')).text(), 'hello')
  await answers(internet, `${head('Content-Length: 500')}hello`)
  const { code } = await refuses(internet.fetch('http://site.example/'), 'protocol')
  assert.equal(code, 'EGRESS_FAILED')
  for (const lines of [
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  ]) {
    await answers(internet, `${head(...lines)}hello`)
    await refuses(internet.fetch('http://site.example/'), 'protocol', String(lines))
  }
})

row('one layer of gzip, deflate or br is decoded [S15]', {}, async (internet) => {
  const cases = {
    gzip: gzipSync('hello'),
    'X-GZIP': gzipSync('hello'),
    deflate: deflateSync('hello'),
    br: brotliCompressSync('hello'),
    identity: Buffer.from('hello'),
  }
  for (const [encoding, bytes] of Object.entries(cases)) {
    await answers(internet, packed(encoding, bytes))
    const answer = await internet.fetch('http://site.example/')
    assert.equal(await answer.text(), 'hello', encoding)
    assert.deepEqual([answer.headers['content-encoding'], answer.headers['content-length']], [undefined, undefined])
  }
})

row(
  'a bomb is cut by its decompressed size, a stream of empty blocks by its compressed size [S15]',
  {},
  async (internet) => {
    await answers(internet, packed('gzip', gzipSync(Buffer.alloc(64 * MIB))))
    await refuses(internet.fetch('http://site.example/'), 'size')
    await answers(
      internet,
      packed('br', brotliCompressSync(Buffer.alloc(64 * MIB), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })),
    )
    await refuses(internet.fetch('http://site.example/'), 'size')
    const nothing = Buffer.concat([
      Buffer.from('1f8b0800000000000003', 'hex'),
      Buffer.alloc(500_000, Buffer.from('000000ffff', 'hex')),
    ])
    await answers(internet, packed('gzip', nothing))
    await refuses(internet.fetch('http://site.example/', { limits: { bytes: 100_000 } }), 'size')
  },
)

row('multiple layers, unknown and damaged encodings are refused [S15]', {}, async (internet) => {
  for (const encoding of ['gzip, gzip', Array(1000).fill('gzip').join(','), 'zstd', 'constructor']) {
    await answers(internet, packed(encoding, gzipSync(gzipSync('hello'))))
    const { message } = await refuses(internet.fetch('http://site.example/'), 'encoding', encoding)
    assert.ok(message.length < 200)
  }
  await answers(internet, `${head('Content-Encoding: gzip', 'Content-Encoding: gzip')}x`)
  await refuses(internet.fetch('http://site.example/'), 'encoding')
  for (const bytes of [gzipSync('hello').subarray(0, -4), Buffer.from('not packed')]) {
    await answers(internet, packed('gzip', bytes))
    await refuses(internet.fetch('http://site.example/'), 'protocol')
  }
})

row('a response without a body has none, whatever its headers say [S15]', {}, async (internet) => {
  await answers(internet, head('Content-Encoding: gzip', 'Content-Length: 999999999999'))
  assert.equal(await (await internet.fetch('http://site.example/', { method: 'HEAD' })).text(), '')
  await answers(internet, 'HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n')
  const { status, bytes } = await internet.fetch('http://site.example/')
  assert.deepEqual([status, (await bytes()).length], [304, 0])
})

row('an unread body ends at the deadline without harm [S15]', {}, async (internet) => {
  let closed = () => {}
  const end = new Promise<void>((resolve) => {
    closed = resolve
  })
  await answers(internet, head('Content-Length: 1000000'), (socket) => socket.once('close', closed))
  await internet.fetch('http://site.example/', { limits: { timeoutMs: 3_000 } })
  await end
})

row('destroying the body frees the connection [S15]', {}, async (internet) => {
  let closed = () => {}
  const end = new Promise<void>((resolve) => {
    closed = resolve
  })
  await answers(internet, `${head('Content-Length: 1000000')}some`, (socket) => socket.once('close', closed))
  const { body } = await internet.fetch('http://site.example/')
  for await (const piece of body) {
    assert.equal(String(piece), 'some')
    break
  }
  await end
})

row('headers above 32 KiB fail, and cookies are not kept [S16]', {}, async (internet) => {
  await answers(internet, head(`X-Big: ${'x'.repeat(MIB)}`))
  const { code } = await refuses(internet.fetch('http://site.example/'), 'headers')
  assert.equal(code, 'EGRESS_LIMIT')
  await answers(internet, head(...Array(100).fill(`Set-Cookie: a=${'x'.repeat(1000)}`)))
  await refuses(internet.fetch('http://site.example/'), 'headers')
  await internet.site('site.example', (request, response) => {
    const location = request.url === '/' ? { location: '/again' } : {}
    response.writeHead(request.url === '/' ? 302 : 200, { 'set-cookie': Array(100).fill('a=1'), ...location })
    response.end(request.headers.cookie ?? 'no cookie')
  })
  assert.equal(await (await internet.fetch('http://site.example/')).text(), 'no cookie')
})

row('a response that is not HTTP/1 fails [S16]', {}, async (internet) => {
  const odd = [
    'hello',
    'HTTP/1.1 OK\r\n\r\n',
    'HTTP/1.1 99 Low\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    '',
    'HTTP/1.1 200 OK\r\nNo colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    'HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\n',
    'SSH-2.0-OpenSSH\r\n',
    '\x15\x03\x01\x00\x02\x02\x16',
  ]
  for (const bytes of odd) {
    await answers(internet, bytes)
    await refuses(internet.fetch('http://site.example/'), 'protocol', bytes)
  }
})

row('a header named like an Object property is only a header [S16]', {}, async (internet) => {
  await answers(internet, head('__proto__: x', 'constructor: y', 'Content-Length: 0'))
  const { headers } = await internet.fetch('http://site.example/')
  assert.deepEqual([Object.hasOwn(headers, '__proto__'), headers.constructor], [true, 'y'])
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

const authority = makeAuthority('Test authority')
const stranger = makeAuthority('Stranger')
const good = authority.issue({ name: 'site.example' })

/** The certificate of https://site.example/. */
async function presents(internet: FakeInternet, options: Parameters<typeof tlsServer>[0]): Promise<void> {
  internet.name('site.example', PUBLIC)
  await internet.place(PUBLIC, 443, tlsServer(options, 'hello'))
}

row('a certificate must be current, match the name and have a trusted issuer [S17]', {}, async (internet) => {
  const wrong = {
    expired: authority.issue({ name: 'site.example', days: [-30, -1] }),
    early: authority.issue({ name: 'site.example', days: [1, 30] }),
    named: authority.issue({ name: 'other.example' }),
    foreign: stranger.issue({ name: 'site.example' }),
  }
  const request = { ca: authority.pem }
  await presents(internet, good)
  assert.equal(await (await internet.fetch('https://site.example/', request)).text(), 'hello')
  const { code, message } = await refuses(internet.fetch('https://site.example/'), 'tls')
  assert.deepEqual(
    [code, message],
    ['EGRESS_FAILED', 'The TLS connection to site.example failed: unable to verify the first certificate.'],
  )
  for (const [name, certificate] of Object.entries(wrong)) {
    await presents(internet, certificate)
    await refuses(internet.fetch('https://site.example/', request), 'tls', name)
  }
})

row(
  'a CA that one caller trusts is not trusted for another, even on an open connection [S17]',
  {},
  async (internet) => {
    internet.name('site.example', PUBLIC)
    await internet.place(
      PUBLIC,
      443,
      createHttpsServer(good, (_request, response) => response.end('hello')),
    )
    assert.equal(await (await internet.fetch('https://site.example/', { ca: authority.pem })).text(), 'hello')
    await refuses(internet.fetch('https://site.example/', { ca: stranger.pem }), 'tls')
    await refuses(internet.fetch('https://site.example/'), 'tls')
  },
)

row('TLS below 1.2 is refused [S17]', {}, async (internet) => {
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    await presents(internet, { ...good, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' })
    await refuses(internet.fetch('https://site.example/', { ca: authority.pem }), 'tls', version)
  }
})

test('environment variables cannot disable certificate checks [S17]', async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    const internet = await openFakeInternet()
    await presents(internet, good)
    await refuses(internet.fetch('https://site.example/'), 'tls')
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
})

row('TLS uses the requested name at the authorized address [S8]', {}, async (internet) => {
  const names: string[] = []
  const SNICallback = (name: string, done: (error: null) => void) => {
    names.push(name)
    done(null)
  }
  await presents(internet, { ...good, SNICallback })
  await internet.fetch('https://site.example/', { ca: authority.pem })
  assert.deepEqual([names, internet.opened], [['site.example'], [`${PUBLIC} 443`]])
})

row('https never redirects to http, even on the same host [S9]', {}, async (internet) => {
  await internet.site('site.example', (_request, response) => response.end('plain'))
  await internet.place(
    PUBLIC,
    443,
    createHttpsServer(good, (_request, response) =>
      response.writeHead(302, { location: 'http://site.example/' }).end(),
    ),
  )
  await refuses(internet.fetch('https://site.example/', { ca: authority.pem }), 'downgrade')
})

row('TLS through a proxy is end-to-end [S14]', { proxy: 'http://10.0.0.3:3128' }, async (internet) => {
  const site = await listen(tlsServer(good, 'hello'), '127.0.0.2')
  const proxy = createHttpServer().on('connect', (_request, socket) => {
    const onward = connect(site, '127.0.0.2', () => socket.write('HTTP/1.1 200 Fine\r\n\r\n'))
    onward.on('error', () => {})
    socket
      .on('error', () => {})
      .pipe(onward)
      .pipe(socket)
  })
  await internet.place('10.0.0.3', 3128, proxy)
  internet.name('site.example', PUBLIC)
  assert.equal(await (await internet.fetch('https://site.example/', { ca: authority.pem })).text(), 'hello')
  await refuses(internet.fetch('https://site.example/'), 'tls')
})

test("CAs in EGRESS_CA_FILE are trusted for every call, in addition to the caller's [S17]", async () => {
  const internet = await openFakeInternet({ ca: authority.pem })
  await presents(internet, good)
  assert.equal(await (await internet.fetch('https://site.example/')).text(), 'hello')
  await presents(internet, stranger.issue({ name: 'site.example' }))
  await refuses(internet.fetch('https://site.example/'), 'tls')
  assert.equal(await (await internet.fetch('https://site.example/', { ca: stranger.pem })).text(), 'hello')
  await presents(internet, authority.issue({ name: 'other.example' }))
  await refuses(internet.fetch('https://site.example/'), 'tls', 'the name is still looked at')
})

/** A TLS proxy at proxy.corp that tunnels to one site. Returns its requests. */
async function tlsProxy(internet: FakeInternet, certificate: typeof good): Promise<string[]> {
  const site = await listen(tlsServer(good, 'hello'), '127.0.0.2')
  const tunnels: string[] = []
  const proxy = createHttpsServer(certificate).on('connect', (request, socket) => {
    tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`)
    const onward = connect(site, '127.0.0.2', () => socket.write('HTTP/1.1 200 Fine\r\n\r\n'))
    onward.on('error', () => {})
    socket
      .on('error', () => {})
      .pipe(onward)
      .pipe(socket)
  })
  await internet.place(
    '10.0.0.3',
    3129,
    proxy.on('tlsClientError', () => {}),
  )
  internet.name('proxy.corp', '10.0.0.3')
  internet.name('site.example', PUBLIC)
  return tunnels
}

row(
  'a proxy may use TLS, and its certificate is verified [S14]',
  { proxy: 'https://me:s3cret@proxy.corp:3129', ca: authority.pem },
  async (internet) => {
    const tunnels = await tlsProxy(internet, authority.issue({ name: 'proxy.corp' }))
    assert.equal(await (await internet.fetch('https://site.example/')).text(), 'hello')
    assert.deepEqual(tunnels, [`${PUBLIC}:443 Basic ${btoa('me:s3cret')}`])
    internet.name('inner.corp', '10.0.0.1')
    await refuses(internet.fetch('https://inner.corp/'), 'private')
  },
)

row(
  'a proxy with an invalid certificate receives nothing, above all no password [S14]',
  { proxy: 'https://me:s3cret@proxy.corp:3129', ca: authority.pem },
  async (internet) => {
    const tunnels = await tlsProxy(internet, stranger.issue({ name: 'proxy.corp' }))
    const { message } = await refuses(internet.fetch('https://site.example/'), 'proxy')
    assert.deepEqual(tunnels, [])
    assert.match(
      message,
      /EGRESS_PROXY did not open site\.example on port 443: The TLS connection to proxy\.corp failed/,
    )
    assert.doesNotMatch(message, /s3cret/)
  },
)

row(
  'sockets for other protocols verify certificates the same way [S17]',
  { allow: 'mail.corp:993' },
  async (internet) => {
    internet.name('mail.corp', '10.0.0.8')
    await internet.place('10.0.0.8', 993, tlsServer(authority.issue({ name: 'mail.corp' }), 'hello'))
    const request = { profile: 'public-only' as const, asker, tls: true, signal: AbortSignal.timeout(5000) }
    await assert.rejects(internet.egress.connect('mail.corp', 993, request), { reason: 'tls' })
    const socket = await internet.egress.connect('mail.corp', 993, { ...request, ca: authority.pem })
    socket.write('x')
    const pieces: Buffer[] = []
    for await (const piece of socket) pieces.push(piece)
    assert.match(Buffer.concat(pieces).toString(), /hello$/)
  },
)

row('the limits of a tool call apply: 1 MiB, a time limit, no redirect [S23]', {}, async (internet) => {
  const limits = { bytes: MIB, timeoutMs: 30_000, redirects: 0 }
  await internet.site('site.example', (request, response) => {
    if (request.url === '/big') response.end(Buffer.alloc(MIB + 1))
    else if (request.url === '/away') response.writeHead(302, { location: '/' }).end()
    else if (request.url === '/fits') response.writeHead(500).end(Buffer.alloc(MIB))
  })
  await refuses(internet.fetch('http://site.example/big', { limits }), 'size')
  await refuses(internet.fetch('http://site.example/hang', { limits: { ...limits, timeoutMs: 200 } }), 'time')
  await refuses(internet.fetch('http://site.example/away', { limits }), 'redirects')
  const fits = await internet.fetch('http://site.example/fits', { limits })
  assert.deepEqual([fits.status, (await fits.bytes()).length], [500, MIB])
})

row('connections are kept alive, shared, and closed by close()', {}, async (internet) => {
  internet.name('site.example', PUBLIC)
  let connections = 0
  const server = createHttpServer((_request, response) => response.end('hello')).on('connection', () => {
    connections += 1
  })
  await internet.place(PUBLIC, 80, server)
  for (let at = 0; at < 20; at += 1) await (await internet.fetch('http://site.example/')).text()
  assert.ok(connections <= 2)
  await Promise.all(Array.from({ length: 50 }, async () => (await internet.fetch('http://site.example/')).text()))
  assert.ok(connections <= 8)
  await internet.egress.close()
  await refuses(internet.fetch('http://site.example/'), 'closed')
})
