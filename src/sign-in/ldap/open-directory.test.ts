import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import { test } from 'node:test'
import { fillFilter, fillName } from './fill-template.ts'
import { openDirectory } from './open-directory.ts'

/** A server that answers each message with these bytes. Returns what it received. */
async function withServer(
  answer: (socket: Socket) => void,
  run: (open: (settings?: { start_tls: boolean }) => ReturnType<typeof openDirectory>) => Promise<void>,
): Promise<Buffer> {
  const received: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (data) => {
      received.push(data)
      answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const egress = {
    async connect() {
      const socket = openSocket(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
    startTls: () => assert.fail('TLS must not begin'),
  }
  try {
    await run((settings = { start_tls: false }) =>
      openDirectory(
        { egress, timeoutMs: 100 },
        { url: 'ldap://127.0.0.1', ca: null, ...settings },
        { providerId: 1, signal: new AbortController().signal },
      ),
    )
  } finally {
    for (const it of sockets) it.destroy()
    server.close()
  }
  return Buffer.concat(received)
}

const TINY_MESSAGE = Buffer.from([0x30, 0x05, 0x02, 0x01, 0x63, 0x65, 0x00])

test('a server that never answers is given up', async () => {
  await withServer(
    () => {},
    async (open) => {
      const directory = await open()
      await assert.rejects(directory.bind('cn=a', 'secret'), /timed out/)
      await directory.close()
    },
  )
})

test('a server that sends very many messages ends the connection only', async () => {
  await withServer(
    (socket) => socket.write(Buffer.concat(Array.from({ length: 1_000_000 }, () => TINY_MESSAGE))),
    async (open) => {
      const directory = await open()
      await assert.rejects(directory.bind('cn=a', 'secret'))
      await directory.close()
    },
  )
})

test('without StartTLS no password is sent', async () => {
  // An answer to an extended request: protocolError.
  const refusal = Buffer.from([0x30, 0x0c, 0x02, 0x01, 0x02, 0x78, 0x07, 0x0a, 0x01, 0x02, 0x04, 0x00, 0x04, 0x00])
  const received = await withServer(
    (socket) => socket.write(refusal),
    (open) => assert.rejects(open({ start_tls: true }), /The server refuses StartTLS/),
  )
  assert.equal(received.includes('1.3.6.1.4.1.1466.20037'), true)
  assert.equal(received.includes('secret'), false)
})

test('an empty password is never sent', async () => {
  const received = await withServer(
    () => {},
    async (open) => {
      const directory = await open()
      await assert.rejects(directory.bind('cn=a', ''), /The password is empty/)
      await directory.close()
    },
  )
  assert.equal(received.length, 0)
})

test('values cannot change a filter or a name', () => {
  const values = { username: 'a*)(uid=\\{dn}', dn: 'cn=(x)' }
  assert.equal(
    fillFilter('(&(uid={username})(member={dn}))', values),
    '(&(uid=a\\2a\\29\\28uid=\\5c{dn})(member=cn=\\28x\\29))',
  )
  assert.equal(fillName('uid={username},dc=x', 'a,dc=y+b="#'), 'uid=a\\,dc\\=y\\+b\\=\\"\\#,dc=x')
})
