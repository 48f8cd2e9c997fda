import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenChecksum } from './checksums.ts'
import { findSensitive, maskSensitive } from './scan-text.ts'

const kinds = (text: string) => findSensitive(text).map((it) => it.kind)
const found = (text: string) => findSensitive(text).map((it) => text.slice(it.start, it.end))

/** Random letters and digits, always the same ones. */
function signs(
  length: number,
  seed = 7,
  alphabet = 'AbC1dEf2GhI3jKl4MnO5pQr6StU7vWx8YzaB9cDe0FgHiJkLmNoPqRsTuVwXyZ',
): string {
  let state = seed
  let text = ''
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += alphabet.charAt(state % alphabet.length)
  }
  return text
}
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const withChecksum = (prefix: string) => `${prefix}${signs(30)}${tokenChecksum(signs(30))}`
const jwt = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: 'ann', iat: 1_700_000_000 })}.${signs(43)}`
const key = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${signs(64)}\n${signs(64, 9)}\n-----END ${kind}PRIVATE KEY-----`
const AWS_ID = `AKIA${signs(16, 3, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`

const SECRETS: [kind: string, secret: string, context?: string][] = [
  ['private_key', key('')],
  ['private_key', key('RSA ')],
  ['private_key', key('OPENSSH ')],
  ['aws_key', AWS_ID, `id ${AWS_ID} key ${signs(40)}`],
  ['github_token', withChecksum('ghp_')],
  ['github_token', `github_pat_${signs(22)}_${signs(59)}`],
  ['gitlab_token', `glpat-${signs(20)}`],
  ['slack_token', `xoxb-739215864012-${signs(24)}`],
  ['slack_token', `hooks.slack.com/services/T0${signs(8, 1, 'AB12C')}/B0${signs(8, 2, 'AB12C')}/${signs(24)}`],
  ['stripe_key', `sk_live_${signs(24)}`],
  ['google_api_key', `AIza${signs(35)}`],
  ['npm_token', withChecksum('npm_')],
  ['pypi_token', `pypi-AgEIcHlwaS5vcmc${signs(120)}`],
  ['jwt', jwt],
  ['url_password', 'k8Tz4qWm', 'postgres://app:k8Tz4qWm@db.intern:5432/shop'],
  ['assigned_secret', 'k8Tz4qWmZp', 'DB_PASSWORD=k8Tz4qWmZp'],
  ['assigned_secret', 'k8Tz4qWmZp', '"api_key": "k8Tz4qWmZp"'],
  ['assigned_secret', 'k8Tz4qWmZp', 'client-secret : k8Tz4qWmZp'],
  ['assigned_secret', 'k8Tz4qWmZp', "'token' => 'k8Tz4qWmZp'"],
  ['assigned_secret', 'Kw7!rT9pZ', 'Das Passwort: Kw7!rT9pZ'],
]
for (const [kind, secret, context = `before ${secret} after`] of SECRETS) {
  test(`a secret is found: ${kind} in ${context.slice(0, 24)}`, () => {
    const text = `Some words.\n${context}\nMore words.`
    assert.deepEqual(kinds(text), [kind])
    assert.ok(secret.startsWith(found(text)[0] ?? '?'))
    assert.ok(!maskSensitive(text).includes(secret.slice(0, 40)))
  })
}

const NO_SECRETS: [why: string, text: string][] = [
  ['a token with a wrong checksum', `${withChecksum('ghp_').slice(0, -1)}_`],
  ['a token whose checksum is off by one', `ghp_${signs(30, 8)}${tokenChecksum(signs(30))}`],
  ['a token within a word', `x${withChecksum('ghp_')}`],
  ['a token that is too short', `glpat-${signs(19)}`],
  ['a token of one character', `glpat-${'x'.repeat(20)}`],
  ['a key of a test account', `sk_test_${signs(24)}`],
  ['a key without content', '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'],
  ['a public key', `-----BEGIN PUBLIC KEY-----\n${signs(64)}`],
  ['an id without its secret', `id ${AWS_ID} only`],
  ['an example', `AKIAIOSFODNN7EXAMPLE ${signs(40)}`],
  ['a JWT without signature', `${jwt.split('.').slice(0, 2).join('.')}.`],
  ['a JWT that does not parse', `eyJ${signs(20)}.eyJ${signs(20)}.${signs(43)}`],
  ['an address without password', 'https://ann@example.com/a:b'],
  ['an address of documentation', 'https://ann:k8Tz4qWm@www.example.com/'],
  ['a word as password', 'postgres://app:geheim@db.intern/shop'],
  [
    'a placeholder',
    'password=changeme1 password: xxxx1234xxxx token=<your-key-1> secret: {{VAR1_X}} api_key=your_api_key_1',
  ],
  ['a variable', 'password = process.env.DB_PASSWORD_1; token = getToken1(); secret = $SECRET_1'],
  ['a name of code', 'privateKey = normalizeX509CredentialOptions; password_encryption = scram-sha-256'],
  ['a comparison', 'token == k8Tz4qWmZp'],
  ['a sentence', 'The password is checked, and the token: see chapter 12, is renewed.'],
  ['a path', 'secret: /etc/app/k8Tz4qWmZp.pem'],
]
for (const [why, text] of NO_SECRETS) test(`no secret is ${why}`, () => assert.deepEqual(kinds(text), []))

const NUMBERS: [kind: string, number: string, context?: string][] = [
  ['payment_card', '4539148803436467'],
  ['payment_card', '4539 1488 0343 6467'],
  ['payment_card', '5424-1802-7979-1732'],
  ['payment_card', '3714 496353 98431'.replace('98431', '98456')],
  ['iban', 'DE91500105173456789012'],
  ['iban', 'DE91 5001 0517 3456 7890 12'],
  ['us_ssn', '536-90-4399'],
  ['german_tax_id', '86095742719', 'Steuer-ID 86095742719'],
  ['german_tax_id', '86 095 742 719', 'Steuer-ID: 86 095 742 719'],
]
for (const [kind, number, context = `before ${number}, after`] of NUMBERS) {
  test(`a number is found: ${kind} ${context}`, () => {
    assert.deepEqual([kinds(context), found(context)], [[kind], [number]])
  })
}

const NO_NUMBERS: [why: string, text: string][] = [
  ['a card whose check digit is off by one', '4539148803436468'],
  ['a card with an unknown prefix', '9539148803436469'],
  ['a card that companies publish', '4111 1111 1111 1111 and 4242424242424242'],
  ['a part of a longer number', '45391488034364671 and 14539148803436467'],
  [
    'a part of a word, a fraction, an address',
    'x4539148803436467 0.4539148803436467 /4539148803436467 4539148803436467_a',
  ],
  ['a number with mixed separators', '4539 1488-0343 6467'],
  ['an IBAN whose checksum is off by one', 'DE92500105173456789012'],
  ['an IBAN of the wrong length', 'DE9150010517345678901'],
  ['an IBAN of no country', 'XX91500105173456789012'],
  ['a social security number that is never given', '000-12-3456 666-12-3456 912-12-3456 536-00-4399 536-90-0000'],
  ['a social security number within more digits', '1536-90-4399 536-90-43991 536-90-4399-1'],
  ['a tax number whose checksum is off by one', 'Steuer-ID 86095742718'],
  ['a tax number without a word about it', 'No. 86095742719'],
  ['a tax number in which no digit repeats', 'Steuer-ID 12345678903'],
  ['a date, a time, a phone number, a version', '2026-11-28 12:30:45, +49 30 12345678, 10.12.3456, 1700000000000'],
]
for (const [why, text] of NO_NUMBERS) test(`no number of a person is ${why}`, () => assert.deepEqual(kinds(text), []))

test('a card is found between other numbers', () => {
  assert.deepEqual(found('12 345 4539 1488 0343 6467 99 1234'), ['4539 1488 0343 6467'])
})

test('a token in an assignment is one finding, by its prefix', () => {
  assert.deepEqual(kinds(`GITHUB_TOKEN=${withChecksum('ghp_')}`), ['github_token'])
})

test('a text is masked at every finding', () => {
  assert.equal(maskSensitive('a password=k8Tz4qWmZp, DE91500105173456789012.'), 'a password=•••, •••.')
  assert.equal(maskSensitive('nothing'), 'nothing')
})

test('the checksum is that of a published example', () => {
  assert.equal(tokenChecksum('zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'), '0mLq17')
})
