// kill -9 repeatedly on one data folder, under load, at random times.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Server, startServer, waitFor } from '../server.ts'
import { assertSound, findBrokenPromises } from './checker.ts'
import type { Attempt } from './history.ts'
import { runWorkload } from './workload.ts'

export async function killAtRandom(t: TestContext, kills: number): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-kill-'))
  const history: Attempt[] = []
  const startsMs: number[] = []
  let server: Server | undefined
  try {
    for (let kill = 0; kill <= kills; kill++) {
      const begin = performance.now()
      server = await startServer({ dataDir })
      startsMs.push(performance.now() - begin)
      const isLast = kill === kills
      // Some kills hit a program that has not caught up after the previous kill.
      if (isLast || random() < 0.75) {
        const faults = await findBrokenPromises({
          api: server.api,
          history,
          ...(isLast ? {} : { ids: sample(history, random) }),
        })
        await assertSound(faults, history, `after kill ${kill}`)
      }
      if (!isLast) await killUnderLoad(server, history, random)
    }
    const answered = history.filter((it) => it.outcome === 'acknowledged').length
    t.diagnostic(
      `${kills} kills, ${history.length} attempts, ${answered} acknowledged, ready again after ${ms(Math.max(...startsMs))} at most`,
    )
  } finally {
    await server?.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * Checking a long history every time would make each kill slower, so this takes the newest attempts and a sample of the
 * rest.
 */
function sample(history: readonly Attempt[], random: Random): Set<string> {
  const old = history.slice(0, -120)
  return new Set([...history.slice(-120), ...old.filter(() => random() < 50 / old.length)].map((it) => it.id))
}

async function killUnderLoad(server: Server, history: Attempt[], random: Random): Promise<void> {
  const enough = history.length + 1 + random.below(80)
  const load = runWorkload({ api: server.api, history, random })
  await waitFor(() => history.length > enough, `${enough} attempts`)
  await delay(random() * 5)
  await server.kill()
  await load
}

const ms = (time: number) => `${Math.round(time)} ms`
