// DATA_DIR/secret-key holds one key a line, newest last. Writes are atomic, because secrets are lost without their key.
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { errorCode } from '../../domain/values/node-error.ts'
import { syncFolder } from '../record/sync-folder.ts'

const MIN_LENGTH = 20

/** Returns an empty list when there is no file or it is empty. */
export function readKeyFile(path: string): string[] {
  const lines = readIfPresent(path)
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  if (lines.some((it) => it.length < MIN_LENGTH)) throw new AppError('SECRET_KEY_UNFIT', { path })
  return lines
}

/** The key is on disk when this returns. */
export function appendKey(path: string): string {
  const text = randomBytes(32).toString('base64url')
  writeKeyFile(path, [...readKeyFile(path), text])
  return text
}

export function removeKeys(path: string, isRemoved: (text: string) => boolean): void {
  const lines = readKeyFile(path)
  writeKeyFile(
    path,
    lines.filter((it) => !isRemoved(it)),
  )
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}

function writeKeyFile(path: string, lines: readonly string[]): void {
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
  // A power cut could otherwise undo the rename after a secret was sealed with the new key.
  syncFolder(dirname(path))
}
