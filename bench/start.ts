// The time that a user waits for `npm start`.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { BenchSettings } from './bench.ts'
import { npmStart } from './npm-start.ts'
import { print, progress, table } from './output.ts'
import { median } from './statistics.ts'

const ROOT = join(import.meta.dirname, '..')
const NOT_COPIED = new Set(['node_modules', '.git', '.cache', 'data'])

export async function run({ rounds, cold }: BenchSettings): Promise<void> {
  // The first start installs and compiles everything, so the next ones are warm.
  await once(ROOT)
  const bar = progress('start', rounds)
  const warm: number[] = []
  for (let round = 0; round < rounds; round++) {
    warm.push(await once(ROOT))
    bar.step()
  }
  bar.end()
  const rows = [['npm start, warm', seconds(median(warm)), seconds(Math.max(...warm)), '≤ 2.0']]
  if (cold) rows.push(['npm start, fresh copy, packages downloaded', seconds(await fromFreshCopy()), '', ''])
  print(table(['until /health answers', 'median s', 'max s', 'target'], rows))
}

async function once(folder: string): Promise<number> {
  const started = await npmStart(folder)
  await started.stop()
  return started.tookMs
}

async function fromFreshCopy(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-cold-'))
  try {
    await cp(ROOT, folder, { recursive: true, filter: (source) => !NOT_COPIED.has(basename(source)) })
    return await once(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(2)
