// Code that checks the signature of a message, to copy. A test runs it against a real message.

/** Written apart, because this file itself does not import it. */
const CRYPTO = "'node:crypto'"

const JAVASCRIPT = `import { createHmac, timingSafeEqual } from ${CRYPTO}

export function isGenuine(secret, headers, body) {
  const time = headers['webhook-timestamp']
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = [headers['webhook-id'], time, body].join('.')
  const signature = createHmac('sha256', key).update(signed).digest('base64')
  const expected = Buffer.from('v1,' + signature)
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300
  return isFresh && headers['webhook-signature'].split(' ').some((it) => {
    const given = Buffer.from(it)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`

const PYTHON = `import base64, hmac, time

def is_genuine(secret: str, headers: dict, body: bytes) -> bool:
    sent_at = headers["webhook-timestamp"]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = headers["webhook-id"].encode() + b"." + sent_at.encode() + b"." + body
    signature = base64.b64encode(hmac.digest(key, signed, "sha256"))
    is_fresh = abs(time.time() - int(sent_at)) < 300
    given = headers["webhook-signature"].encode().split(b" ")
    return is_fresh and any(hmac.compare_digest(b"v1," + signature, it) for it in given)
`

export const SNIPPETS = { JavaScript: JAVASCRIPT, Python: PYTHON } as const
