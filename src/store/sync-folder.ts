import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes names that were given or changed in it last. Windows cannot do that, and its file system orders them by itself. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
