// Which folders are generations of the index: one small file, replaced as a whole or not at all.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { vectorKindIn } from '../engine/vector-files.ts'
import type { BeginningReason } from './generations.ts'
import type { VectorOptions } from './search-index.ts'

/** Files of older versions do not have it: then the files of the vectors tell. */
const Vectors = z.object({ model: z.string(), dimension: z.int().positive() }).nullable().optional()

const Stored = z.object({
  format: z.literal(1),
  serving: z.int().positive(),
  vectors: Vectors,
  refill: z.object({ reason: z.string(), until: z.int() }).nullable(),
  building: z.object({ generation: z.int().positive(), since: z.int(), vectors: Vectors }).nullable(),
  declined: z.string().nullable().default(null),
})

export interface State {
  format: 1
  serving: number
  /** Whose vectors the one that serves holds. */
  vectors: VectorOptions | null
  refill: { reason: BeginningReason; until: number } | null
  building: { generation: number; since: number; vectors: VectorOptions | null } | null
  /** The model for which a generation was given up, so that no start begins it again by itself. */
  declined: string | null
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
    return completed(dir, Stored.parse(JSON.parse(text)))
  } catch {
    return 'damaged'
  }
}

function completed(dir: string, { vectors, refill, building, ...rest }: z.infer<typeof Stored>): State {
  const known = (generation: number, told: VectorOptions | null | undefined) =>
    told === undefined ? vectorsIn(folderOf(dir, generation)) : told
  return {
    ...rest,
    vectors: known(rest.serving, vectors),
    // What the schema lets pass is what `writeState` wrote.
    refill: refill as State['refill'],
    building: building && { ...building, vectors: known(building.generation, building.vectors) },
  }
}

function vectorsIn(folder: string): VectorOptions | null {
  const kind = vectorKindIn(folder)
  return kind === undefined ? null : { model: kind.model, dimension: kind.dimension }
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
