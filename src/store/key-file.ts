// DATA_DIR/secret-key: one key a line, the newest last. Whole or as it was before, whatever happens: without a key that
// secrets are sealed with they are lost.
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../domain/errors.ts'

const MIN_LENGTH = 20

/** None when there is no file, or nothing in it. */
export function readKeyFile(path: string): string[] {
  const lines = readIfThere(path)
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  if (lines.some((it) => it.length < MIN_LENGTH)) throw new AppError('SECRET_KEY_UNFIT', { path })
  return lines
}

/** It has reached the disk when this returns. */
export function addToKeyFile(path: string): string {
  const text = randomBytes(32).toString('base64url')
  writeKeyFile(path, [...readKeyFile(path), text])
  return text
}

export function removeFromKeyFile(path: string, isRemoved: (text: string) => boolean): void {
  const lines = readKeyFile(path)
  writeKeyFile(
    path,
    lines.filter((it) => !isRemoved(it)),
  )
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function writeKeyFile(path: string, lines: readonly string[]): void {
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
  syncFolder(dirname(path))
}

/** Else a power cut could take the new name back after a secret was sealed with the new key. Windows cannot, and need not. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
