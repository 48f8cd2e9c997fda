// Builds test certificates in DER (RFC 5280), because Node can sign but not encode them.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  key: string
  cert: string
}

export interface Wanted {
  name: string
  days?: readonly [from: number, to: number]
  /** The size of an RSA key, instead of one of an elliptic curve. */
  rsaBits?: number
}

const DAY_MS = 86_400_000
const OIDS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  altName: '551d11',
}

/** A certificate authority and its certificates. */
export function makeAuthority(name: string): { pem: string; issue(wanted: Wanted): Certificate } {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const isAuthority = extension(OIDS.basicConstraints, seq(der(0x01, Buffer.from([0xff]))))
  const issuer = { name, key: keys.privateKey }
  const issue = (publicKey: KeyObject, wanted: Wanted, extra: Buffer) => certificate(issuer, publicKey, wanted, extra)
  return {
    pem: issue(keys.publicKey, { name }, isAuthority),
    issue(wanted) {
      const { rsaBits } = wanted
      const own =
        rsaBits === undefined
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: rsaBits })
      const altName = extension(OIDS.altName, seq(der(0x82, Buffer.from(wanted.name))))
      const key = own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { key, cert: issue(own.publicKey, wanted, altName) }
    },
  }
}

function certificate(
  issuer: { name: string; key: KeyObject },
  publicKey: KeyObject,
  { name, days = [-1, 30] }: Wanted,
  extra: Buffer,
): string {
  const algorithm = seq(oid(OIDS.ecdsaWithSha256))
  const body = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguished(issuer.name),
    seq(...days.map((day) => time(Date.now() + day * DAY_MS))),
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, seq(extra)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, issuer.key)]))
  const text = seq(body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const seq = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const distinguished = (name: string) => seq(der(0x31, seq(oid(OIDS.commonName), der(0x0c, Buffer.from(name)))))
const extension = (id: string, value: Buffer) => seq(oid(id), der(0x04, value))
const time = (at: number) => der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\..*/g, '')}Z`))
