// Which folders are generations of the index: one small file, replaced as a whole or not at all.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { BeginningReason } from './generations.ts'

const State = z.object({
  format: z.literal(1),
  serving: z.int().positive(),
  refill: z.object({ reason: z.string(), until: z.int() }).nullable(),
  building: z.object({ generation: z.int().positive(), since: z.int() }).nullable(),
})
export type State = Omit<z.infer<typeof State>, 'refill'> & {
  refill: { reason: BeginningReason; until: number } | null
}

const NAME = 'generations.json'

export const folderOf = (dir: string, generation: number): string => join(dir, String(generation))

/** What the folder holds, or why nothing in it can be used. */
export function readState(dir: string): State | BeginningReason {
  let text: string
  try {
    text = readFileSync(join(dir, NAME), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Once the folder was the index itself.
    return readdirSync(dir).includes('manifest') ? 'other_version' : 'missing'
  }
  try {
    // What the schema lets pass is what `writeState` wrote.
    return State.parse(JSON.parse(text)) as State
  } catch {
    return 'damaged'
  }
}

/** Every step reaches the disk before the next. */
export function writeState(dir: string, state: State): void {
  const path = join(dir, NAME)
  writeFileSync(`${path}.new`, JSON.stringify(state), { flush: true })
  renameSync(`${path}.new`, path)
  // Windows cannot sync a folder, and its file system orders the rename by itself.
  if (process.platform === 'win32') return
  const folder = openSync(dir, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** What a crash, or an older version, left behind. */
export function removeOthers(dir: string, { serving, building }: State): void {
  const named = [NAME, ...[serving, building?.generation].map(String)]
  for (const name of readdirSync(dir)) if (!named.includes(name)) rmSync(join(dir, name), { recursive: true })
}

/** A number that no folder has. */
export const unusedGeneration = (dir: string): number =>
  1 + Math.max(0, ...readdirSync(dir).map(Number).filter(Number.isSafeInteger))
