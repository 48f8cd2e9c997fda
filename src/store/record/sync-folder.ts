import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Makes created and renamed entries of the folder durable. Windows lacks this call, and its file system orders such
 * changes itself.
 */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
