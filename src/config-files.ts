// The files and folders that settings name.
import { randomBytes, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorMessage } from './domain/values/node-error.ts'

/** An invalid setting. The message names the setting and describes valid values. */
export class ConfigError extends Error {}

export function createWritableFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(join(path, '.writable'), '')
    return path
  } catch (error) {
    if (/^(?:ENOSPC|EDQUOT|EIO|EMFILE|ENFILE)$/.test(errorCode(error) ?? '')) throw error
    throw new ConfigError(`DATA_DIR must be a writable folder: ${errorMessage(error)}.`)
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

export function readCertificates(path: string): string | null {
  if (path === '') return null
  try {
    const pem = readFileSync(path, 'utf8')
    const certificates = pem.match(PEM_CERTIFICATE) ?? []
    if (certificates.length === 0) throw new Error('it contains no certificate')
    for (const it of certificates) new X509Certificate(it)
    return pem
  } catch (error) {
    throw new ConfigError(`EGRESS_CA_FILE must name a PEM file with certificates: ${errorMessage(error)}.`)
  }
}

/** Returns the secret of the environment or of the file. Creates the file with a new secret if there is none. */
export function readOrCreateSecret(given: string, path: string): { secret: string; isNew: boolean } {
  if (given !== '') return { secret: given, isNew: false }
  if (existsSync(path)) {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret.length < 20)
      throw new ConfigError(`${path} must contain at least 20 characters. Delete the file to generate a new key.`)
    return { secret, isNew: false }
  }
  const secret = randomBytes(32).toString('base64url')
  // The rename makes the file appear complete: a power cut must not leave an empty file.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
  return { secret, isNew: true }
}
