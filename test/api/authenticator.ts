// An authenticator in software, for answers that no browser would give. The passkey is an ES256 key without attestation.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'

const UP_UV = 0x05
const WITH_KEY = 0x40

const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

/** CBOR (RFC 8949) of the few forms that WebAuthn needs here. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map((it) => cbor(it as Buffer))])
}
const head = (major: number, n: number): Buffer =>
  n < 24
    ? Buffer.from([major * 32 + n])
    : n < 256
      ? Buffer.from([major * 32 + 24, n])
      : Buffer.from([major * 32 + 25, n >> 8, n & 255])

export interface AnswerChanges {
  origin?: string
  rpID?: string
  flags?: number
  type?: string
  counter?: number
  userHandle?: string
}

export function createAuthenticator(id = 'a software authenticator') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const coordinate = (text: string | undefined) => Buffer.from(text!, 'base64url')
  const cose = cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]),
  )
  const credentialId = sha256(id)
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authenticatorData = ({ rpID = 'localhost', counter = 0 }: AnswerChanges, flags: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpID), Buffer.from([flags]), count])
  }
  const shared = { id: base64url(credentialId), rawId: base64url(credentialId), type: 'public-key' }
  return {
    /** The answer to options for a new passkey. */
    create(challenge: string, origin: string, changes: AnswerChanges = {}) {
      const { type = 'webauthn.create', flags = UP_UV } = changes
      const length = Buffer.from([0, credentialId.length])
      const attested = [Buffer.alloc(16), length, credentialId, cose]
      const authData = Buffer.concat([authenticatorData(changes, flags | WITH_KEY), ...attested])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      return {
        ...shared,
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData(type, challenge, changes.origin ?? origin)),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      }
    },
    /** The answer to options for a sign-in. */
    get(challenge: string, origin: string, changes: AnswerChanges = {}) {
      const { type = 'webauthn.get', flags = UP_UV, userHandle } = changes
      const clientDataJSON = clientData(type, challenge, changes.origin ?? origin)
      const data = authenticatorData(changes, flags)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      return {
        ...shared,
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientDataJSON),
          authenticatorData: base64url(data),
          signature: base64url(signature),
          ...(userHandle !== undefined && { userHandle: base64url(userHandle) }),
        },
      }
    },
  }
}
