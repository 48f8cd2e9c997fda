// The queue of mails against servers that refuse, hang and cannot encrypt.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openMail } from '../../src/mail/mail.ts'
import { type Certificate, makeAuthority } from '../egress/certificate.ts'
import { openSmtpServer } from './smtp.ts'

const lines: object[] = []
const record = (fields: unknown, message?: string) => void lines.push({ fields, message })
const logger = { debug: record, info: record, warn: record, error: record, fatal: record, trace: record }

const mailTo = (port: number, more: object = {}, deps: object = {}) => {
  const server = { host: '127.0.0.1', port, security: 'loopback' as const, user: null, password: null }
  const mail = openMail(
    { ...server, from: 'pharos@example.com', publicUrl: 'https://pharos.example.com', ...more },
    { logger: logger as never, retryWaitsMs: [1, 1], timeoutMs: 20_000, ...deps },
  )
  after(mail.close)
  return mail
}
const message = (to: string) => ({ kind: 'reset', to, path: '/welcome#token' }) as const

test('a mail is encrypted where the server can, and holds the link in both forms', async () => {
  const smtp = await openSmtpServer()
  assert.equal(await mailTo(smtp.port).send(message('ann@example.com')), true)
  const { text, isEncrypted } = await smtp.next('ann@example.com')
  assert.ok(isEncrypted)
  assert.match(text, /^From: Pharos <pharos@example\.com>/m)
  assert.match(text, /^Auto-Submitted: auto-generated/m)
  assert.equal(text.split('https://pharos.example.com/welcome#token').length, 4)
})

test('a server without STARTTLS, or with a certificate of nobody, gets nothing unless it is on this machine', async () => {
  const plain = await openSmtpServer({ hideSTARTTLS: true })
  const unknown = await openSmtpServer()
  for (const { port, mails } of [plain, unknown]) {
    assert.equal(await mailTo(port, { security: 'starttls' }).send(message('ann@example.com')), false)
    assert.deepEqual(mails, [])
  }
  assert.equal(await mailTo(plain.port).send(message('ann@example.com')), true)
})

test('smtps:// encrypts from the first byte, and only with a server whose certificate names it', async () => {
  const trusted = makeAuthority('Trusted')
  setDefaultCACertificates([...getCACertificates(), trusted.pem])
  const serverWith = (certificate: Certificate) => openSmtpServer({ secure: true, ...certificate })
  const known = await serverWith(trusted.issue({ name: 'localhost' }))
  const others = [
    await serverWith(makeAuthority('Another').issue({ name: 'localhost' })),
    await serverWith(trusted.issue({ name: 'mail.example.com' })),
    await serverWith(trusted.issue({ name: 'localhost', days: [-30, -1] })),
    await openSmtpServer(),
  ]
  const secure = { host: 'localhost', security: 'tls' }
  assert.equal(await mailTo(known.port, secure).send(message('ann@example.com')), true)
  assert.equal((await known.next('ann@example.com')).isEncrypted, true)
  for (const { port, mails } of others) {
    assert.equal(await mailTo(port, secure).send(message('ann@example.com')), false)
    assert.deepEqual(mails, [])
  }
})

test('a refusal is final, a temporary one is tried again, and the log names no address and no password', async () => {
  lines.length = 0
  let attempts = 0
  const smtp = await openSmtpServer({
    onRcptTo({ address }, _session, done) {
      attempts++
      const responseCode = address.startsWith('later') && attempts < 3 ? 451 : 550
      if (address.startsWith('later') && attempts === 3) return done()
      done(Object.assign(new Error(`no ${address}`), { responseCode }))
    },
  })
  assert.equal(await mailTo(smtp.port).send(message('later@example.com')), true)
  assert.equal(attempts, 3)
  assert.equal(await mailTo(smtp.port).send(message('never@example.com')), false)
  assert.equal(attempts, 4)
  const auth = await openSmtpServer({ onAuth: (_auth, _session, done) => done(new Error('no password-of-smtp')) })
  const secret = { user: 'pharos', password: 'password-of-smtp' }
  assert.equal(await mailTo(auth.port, secret).send(message('ann@example.com')), false)
  assert.match(JSON.stringify(lines), /refused the user name/)
  assert.doesNotMatch(JSON.stringify(lines), /@example|password-of-smtp/)
})

test('a server that hangs fails after its time, and closing does not wait for it', async () => {
  const hanging = createServer(() => {})
  const { promise, resolve } = Promise.withResolvers<void>()
  hanging.listen(0, '127.0.0.1', resolve)
  await promise
  after(() => hanging.close())
  const { port } = hanging.address() as AddressInfo
  assert.equal(await mailTo(port, {}, { timeoutMs: 50 }).send(message('ann@example.com')), false)
  const mail = mailTo(port, {}, { timeoutMs: 60_000, retryWaitsMs: [60_000] })
  const sent = [1, 2, 3].map(() => mail.send(message('ann@example.com')))
  await mail.close()
  assert.deepEqual(await Promise.all(sent), [false, false, false])
})

test('no more mails wait than the limit', async () => {
  const smtp = await openSmtpServer()
  const mail = mailTo(smtp.port, {}, { maxWaiting: 3 })
  const sent = await Promise.all([1, 2, 3, 4].map((it) => mail.send(message(`p${it}@example.com`))))
  assert.deepEqual(sent, [true, true, true, false])
})

test('an address cannot add a header, a recipient or a command', async () => {
  const smtp = await openSmtpServer()
  for (const to of [
    'ann@example.com\r\nBcc: eve@evil.example',
    'ann@example.com\nRCPT TO:<eve@evil.example>',
    'ann@example.com,eve@evil.example',
    '"ann@example.com>\\"<eve"@evil.example',
    'Ann <ann@example.com>',
    'ann@example.com\u0085Bcc:eve@evil.example',
    'eve(@example.com)@evil.example',
  ])
    assert.equal(await mailTo(smtp.port).send(message(to)), false, to)
  assert.deepEqual(smtp.mails, [])
})
