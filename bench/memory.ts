// The resident memory of the idle program.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parallel } from '../test/parallel.ts'
import { launch, type Server, settled } from '../test/server.ts'
import type { BenchSettings } from './bench.ts'
import { npmStart } from './npm-start.ts'
import { print, table } from './output.ts'
import { median } from './statistics.ts'

const DOCUMENTS = 5_000
const SAMPLES = 5
const SAMPLE_EVERY_MS = 500
/** A thread returns its memory after ten to twenty seconds without work: src/flow/collect-when-idle.ts. */
const SETTLE_MS = 25_000
const ROOT = join(import.meta.dirname, '..')

export async function run({ rounds }: BenchSettings): Promise<void> {
  const empty: number[] = []
  const filled: number[] = []
  const whole: number[] = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const server = await launch({ env: { LOG_LEVEL: 'warn' } })
    empty.push(await idle(server.pid))
    await fill(server)
    filled.push(await idle(server.pid))
    await server.stop()
    const started = await npmStart(ROOT)
    whole.push(await idle(started.child.pid!))
    await started.stop()
  }
  const rows = [
    ['the program without documents', megabytes(median(empty)), '≤ 200'],
    [`the program with ${DOCUMENTS} documents of 1 KiB`, megabytes(median(filled)), ''],
    ['npm, start.mjs and the program without documents', megabytes(median(whole)), ''],
  ]
  print(table(['resident memory when idle', 'MB', 'target'], rows))
}

async function fill(server: Server): Promise<void> {
  await parallel(Array(DOCUMENTS).keys(), 16, (serial) => {
    const text = Array.from({ length: 150 }, (_, word) => `w${((serial + 7) * (word + 11)) % 4_999}`).join(' ')
    const document = {
      id: `memory/${serial}`,
      semantic_identifier: `Document ${serial}`,
      sections: [{ text }],
      metadata: {},
    }
    return server.api('POST', '/service-api/ingestion', { document })
  })
  await settled(server, 120_000)
}

async function idle(pid: number): Promise<number> {
  await delay(SETTLE_MS)
  const samples: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await delay(SAMPLE_EVERY_MS)
    samples.push(await residentOfTree(pid))
  }
  return median(samples)
}

/** The bytes of the process and its descendants. Shared pages are counted for each. */
async function residentOfTree(root: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,rss='])
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const tree = new Set([root])
  for (let size = 0; size < tree.size; ) {
    size = tree.size
    for (const [pid, parent] of processes) if (tree.has(parent!)) tree.add(pid!)
  }
  return processes.filter(([pid]) => tree.has(pid!)).reduce((sum, [, , rss]) => sum + rss! * 1_024, 0)
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6)
