// Waits for a run of a pair and measures the program's memory meanwhile.
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Server } from '../../test/server.ts'

/** Returns the peak of resident bytes after the run with this number (from 1) succeeded. Rejects if it failed. */
export async function waitForRun(
  server: Server,
  { pair, run, everyMs }: { pair: number; run: number; everyMs: number },
): Promise<number> {
  let peakBytes = 0
  for (;;) {
    const { body } = await server.api('GET', `/manage/admin/cc-pair/${pair}/index-attempts?page_size=10`)
    const { items } = body as unknown as { items: { status: string; error_msg: string | null }[] }
    peakBytes = Math.max(peakBytes, await readResidentMemory(server.pid))
    if (items.length === run && items[0]!.status === 'success') return peakBytes
    if (items.length === run && items[0]!.status === 'failed') throw new Error(items[0]!.error_msg ?? 'the run failed')
    await delay(everyMs)
  }
}

export async function readResidentMemory(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout.trim()) * 1_024
}
