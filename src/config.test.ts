import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { ConfigError, readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-config-'))
after(() => rmSync(folder, { recursive: true }))
const env = { DATA_DIR: folder }

test('the defaults equal those in the help', () => {
  const { host, port, logLevel } = readConfig(env)
  assert.deepEqual({ host, port, logLevel }, { host: '127.0.0.1', port: 8080, logLevel: 'info' })
})

test('an administrator key is made once, and only its owner can read the file', () => {
  const fresh = join(folder, 'fresh')
  const first = readConfig({ DATA_DIR: fresh })
  const second = readConfig({ DATA_DIR: fresh })
  assert.deepEqual([first.isNewAdminApiKey, second.isNewAdminApiKey], [true, false])
  assert.equal(first.adminApiKey, second.adminApiKey)
  assert.equal(readFileSync(join(fresh, 'admin-api-key'), 'utf8'), `${first.adminApiKey}\n`)
  assert.equal(statSync(join(fresh, 'admin-api-key')).mode & 0o777, 0o600)
})

test('SECRET_KEY is used unchanged, and SECRET_KEY_PREVIOUS has one key per line', () => {
  const SECRET_KEY = ' a key, with spaces around it '
  const SECRET_KEY_PREVIOUS = `\n${SECRET_KEY}\r\n\nthe key before that one\n`
  const { secretKey, previousSecretKeys } = readConfig({ ...env, SECRET_KEY, SECRET_KEY_PREVIOUS })
  assert.deepEqual([secretKey, previousSecretKeys], [SECRET_KEY, [SECRET_KEY, 'the key before that one']])
  assert.deepEqual([readConfig(env).secretKey, readConfig(env).previousSecretKeys], [null, []])
})

test('a PHAROS_ name takes precedence over the plain name', () => {
  assert.equal(readConfig({ ...env, PORT: '1', PHAROS_PORT: '2' }).port, 2)
})

test('a model on a server has its address, and a key only if one is set', () => {
  assert.deepEqual(readConfig(env).embedding, { kind: 'local' })
  assert.deepEqual(readConfig({ ...env, EMBEDDING: 'off' }).embedding, { kind: 'off' })
  assert.deepEqual(readConfig({ ...env, EMBEDDING: 'multilingual' }).embedding, { kind: 'multilingual' })
  const given = { ...env, EMBEDDING: 'openai', EMBEDDING_URL: 'http://127.0.0.1:1/v1', EMBEDDING_MODEL: 'small' }
  const server = { kind: 'openai', url: 'http://127.0.0.1:1/v1', model: 'small' }
  assert.deepEqual(readConfig(given).embedding, { ...server, key: null })
  assert.deepEqual(readConfig({ ...given, EMBEDDING_KEY: 'k' }).embedding, { ...server, key: 'k' })
})

test('CORS_ORIGINS lists single origins; FRAME_ANCESTORS also accepts subdomains and extensions', () => {
  const given = {
    CORS_ORIGINS: ' https://a.example , http://localhost:3000,chrome-extension://abc',
    FRAME_ANCESTORS: 'self,https://*.example.com,chrome-extension://abc',
  }
  const { corsOrigins, frameAncestors } = readConfig({ ...env, ...given })
  assert.deepEqual(corsOrigins, ['https://a.example', 'http://localhost:3000', 'chrome-extension://abc'])
  assert.deepEqual(frameAncestors, ["'self'", 'https://*.example.com', 'chrome-extension://abc'])
  assert.deepEqual(readConfig({ ...env, CORS_ORIGINS: '*' }).corsOrigins, ['*'])
  assert.deepEqual([readConfig(env).corsOrigins, readConfig(env).frameAncestors], [[], []])
})

test('TRUSTED_PROXIES lists addresses and networks, and no one by default', () => {
  const { trustedProxies } = readConfig({ ...env, TRUSTED_PROXIES: ' 127.0.0.1, 10.0.0.0/8 ,fd00::/8,' })
  assert.deepEqual(trustedProxies, ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  assert.deepEqual(readConfig(env).trustedProxies, [])
})

test('a session that is not used ends after 7 days, or sooner if every session does', () => {
  const hoursOf = (more: Record<string, string>) => {
    const { maxMs, idleMs } = readConfig({ ...env, ...more }).sessionLifetimes
    return [maxMs / 3_600_000, idleMs / 3_600_000]
  }
  assert.deepEqual(hoursOf({}), [720, 168])
  assert.deepEqual(hoursOf({ SESSION_MAX_HOURS: '12' }), [12, 12])
  assert.deepEqual(hoursOf({ SESSION_MAX_HOURS: '12', SESSION_IDLE_HOURS: '1' }), [12, 1])
})

test('the headers and domains of a proxy that signs people in are in lower case', () => {
  assert.equal(readConfig(env).headerSignIn, null)
  const given = {
    SIGN_IN_HEADER_EMAIL: 'X-Forwarded-Email',
    SIGN_IN_HEADER_DOMAINS: 'Example.com',
    TRUSTED_PROXIES: '::1',
  }
  assert.deepEqual(readConfig({ ...env, ...given }).headerSignIn, {
    headers: { email: 'x-forwarded-email', name: null, groups: null },
    domains: ['example.com'],
  })
})

const damagedPem = join(folder, 'damaged.pem')
writeFileSync(damagedPem, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')

test('the certificates of EGRESS_CA_FILE are read at start', () => {
  const path = join(folder, 'ca.pem')
  writeFileSync(path, rootCertificates.slice(0, 2).join('\n'))
  assert.equal(readConfig({ ...env, EGRESS_CA_FILE: path }).egressCa, readFileSync(path, 'utf8'))
  assert.equal(readConfig(env).egressCa, null)
})

const faults = [
  [{ PORT: 'http' }, /PORT must be a whole number from 0 to 65535/],
  [{ PORT: '70000' }, /PORT must be/],
  [{ ADMIN_API_KEY: 'short' }, /ADMIN_API_KEY must be a text of at least 20 characters/],
  [{ SECRET_KEY: 'short' }, /SECRET_KEY/],
  [{ SECRET_KEY_PREVIOUS: `${'x'.repeat(20)}\nshort` }, /SECRET_KEY_PREVIOUS must be texts of at least 20 characters/],
  [{ DATABASE_URL: 'mysql://root@localhost/x' }, /DATABASE_URL must be an address like postgres:/],
  [{ DATABASE_URL: 'postgres://[/x' }, /DATABASE_URL must be an address/],
  [{ MIN_FREE_DISK_MB: '2%' }, /MIN_FREE_DISK_MB must be a whole number/],
  [{ MERGE_MB_PER_SECOND: 'fast' }, /MERGE_MB_PER_SECOND must be a whole number/],
  [{ EGRESS_APPROVALS: 'yes' }, /EGRESS_APPROVALS must be one of on, off/],
  [{ EGRESS_CA_FILE: join(folder, 'none.pem') }, /EGRESS_CA_FILE must name a PEM file with certificates: ENOENT/],
  [
    { EGRESS_CA_FILE: 'package.json' },
    /EGRESS_CA_FILE must name a PEM file with certificates: it contains no certificate/,
  ],
  [{ EGRESS_CA_FILE: damagedPem }, /EGRESS_CA_FILE must name a PEM file with certificates: /],
  [{ EMBEDDING: 'yes' }, /EMBEDDING must be one of local, multilingual, openai, off/],
  [{ EMBEDDING: 'openai', EMBEDDING_MODEL: 'm' }, /EMBEDDING_URL must be set when EMBEDDING is openai/],
  [{ EMBEDDING: 'openai', EMBEDDING_URL: 'http://x/v1' }, /EMBEDDING_MODEL must be set when EMBEDDING is openai/],
  [{ EMBEDDING_URL: 'localhost:11434' }, /EMBEDDING_URL must be an address like https:/],
  [{ TRUSTED_PROXIES: 'proxy.corp' }, /TRUSTED_PROXIES must be addresses and networks .*; "proxy.corp" is not one/],
  [{ TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/33' }, /TRUSTED_PROXIES .*"10.0.0.0\/33" is not one/],
  [{ TRUSTED_PROXIES: '127.0.0.1:80' }, /TRUSTED_PROXIES .*"127.0.0.1:80" is not one/],
  [{ TRUSTED_PROXIES: '*' }, /TRUSTED_PROXIES .*"\*" is not one/],
  [{ CORS_ORIGINS: 'www.example.com' }, /CORS_ORIGINS must be origins such as .*; "www.example.com" is not one/],
  [{ CORS_ORIGINS: 'https://a.example/,https://b.example' }, /"https:\/\/a.example\/" is not one/],
  [{ CORS_ORIGINS: 'https://*.example.com' }, /CORS_ORIGINS must be origins/],
  [{ CORS_ORIGINS: 'https://a.example, *' }, /"\*" is not one/],
  [{ CORS_ORIGINS: 'null' }, /"null" is not one/],
  [{ CORS_ORIGINS: 'https://a.example:443' }, /CORS_ORIGINS must be origins/],
  [{ FRAME_ANCESTORS: '*' }, /FRAME_ANCESTORS must be origins/],
  [{ FRAME_ANCESTORS: "https://a.example; script-src 'unsafe-inline'" }, /FRAME_ANCESTORS must be origins/],
  [{ FRAME_ANCESTORS: 'https://a;script-src' }, /FRAME_ANCESTORS must be origins/],
  [{ FRAME_ANCESTORS: "'self'" }, /FRAME_ANCESTORS must be origins/],
  [{ SESSION_MAX_HOURS: '0' }, /SESSION_MAX_HOURS must be a whole number from 1 to 8760/],
  [{ SESSION_MAX_HOURS: '8761' }, /SESSION_MAX_HOURS must be/],
  [{ SESSION_IDLE_HOURS: '0.5' }, /SESSION_IDLE_HOURS must be a whole number/],
  [
    { SESSION_MAX_HOURS: '12', SESSION_IDLE_HOURS: '13' },
    /SESSION_IDLE_HOURS must be at most SESSION_MAX_HOURS, which is 12/,
  ],
  [{ SIGN_IN_HEADER_EMAIL: 'x-email' }, /TRUSTED_PROXIES must be set when SIGN_IN_HEADER_EMAIL is set/],
  [
    { SIGN_IN_HEADER_EMAIL: 'x-email', TRUSTED_PROXIES: '10.0.0.1,::/0' },
    /TRUSTED_PROXIES must not name every address/,
  ],
  [{ SIGN_IN_HEADER_EMAIL: 'x-email, x-user', TRUSTED_PROXIES: '::1' }, /SIGN_IN_HEADER_EMAIL must be the name/],
  [{ SIGN_IN_HEADER_EMAIL: 'x_email', TRUSTED_PROXIES: '::1' }, /SIGN_IN_HEADER_EMAIL must be the name/],
  [{ SIGN_IN_HEADER_EMAIL: 'Authorization', TRUSTED_PROXIES: '::1' }, /SIGN_IN_HEADER_EMAIL must be the name/],
  [{ SIGN_IN_HEADER_EMAIL: 'X-Forwarded-For', TRUSTED_PROXIES: '::1' }, /SIGN_IN_HEADER_EMAIL must be the name/],
  [
    { SIGN_IN_HEADER_EMAIL: 'x-email', SIGN_IN_HEADER_NAME: 'X-Email', TRUSTED_PROXIES: '::1' },
    /SIGN_IN_HEADER_EMAIL, _NAME and _GROUPS must differ/,
  ],
  [{ SIGN_IN_HEADER_GROUPS: 'x-groups' }, /SIGN_IN_HEADER_EMAIL must be set/],
  [{ SIGN_IN_HEADER_DOMAINS: 'a@example.com' }, /SIGN_IN_HEADER_DOMAINS must be domains/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of trace, debug/],
  [{ PHAROS_PROT: '8080' }, /PHAROS_PROT is not a setting/],
  [{ DATA_DIR: '/dev/null/data' }, /DATA_DIR must be a writable folder/],
] as const
for (const [given, message] of faults) {
  test(`${JSON.stringify(given)} is refused, and the message names the setting`, () => {
    assert.throws(
      () => readConfig({ ...env, ...given }),
      (error) => error instanceof ConfigError && message.test(error.message),
    )
  })
}
