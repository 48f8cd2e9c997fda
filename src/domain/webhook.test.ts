import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeWebhookSecret, encodeWebhookSecret, webhookUrl } from './webhook.ts'

test('an encoded secret decodes to the same bytes', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, at) => at * 7)
  assert.deepEqual([...decodeWebhookSecret(encodeWebhookSecret(bytes))!], [...bytes])
})

for (const secret of ['', 'secret', 'whsec_', 'whsec_!!!!', `whsec_${'A'.repeat(28)}`, `whsec_${'A'.repeat(92)}`]) {
  test(`"${secret.slice(0, 40)}" is not a secret`, () => assert.equal(decodeWebhookSecret(secret), undefined))
}

for (const [url, kept] of [
  ['https://example.com', 'https://example.com/'],
  ['http://127.0.0.1:8080/hook?a=b', 'http://127.0.0.1:8080/hook?a=b'],
  ['https://user:secret@example.com/', undefined],
  ['ftp://example.com/', undefined],
  ['/hook', undefined],
  [`https://example.com/${'x'.repeat(2_000)}`, undefined],
] as const) {
  test(`${url.slice(0, 40)} is ${kept === undefined ? 'rejected' : 'accepted'}`, () => {
    assert.equal(webhookUrl().safeParse(url).data, kept)
  })
}
