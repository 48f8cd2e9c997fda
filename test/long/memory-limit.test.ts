// Limits the memory of the program by a cgroup and pushes large documents: the program survives, or the system kills it
// and the next start has everything accepted.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parallel } from '../parallel.ts'
import { type Exit, pending, settled, startServer, waitFor } from '../server.ts'

/** A sufficient and an insufficient limit. */
const LIMITS_MB = [420, 230]
const DOCUMENTS = 40
const ROUNDS = 4
const CHARACTERS = 2_000_000
const PLACES = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
]
const group = createMemoryCgroup()

/** Undefined when this user may not create one. */
function createMemoryCgroup(): { path: string; limit: string } | undefined {
  for (const { folder, limit } of PLACES) {
    const path = join(folder, `pharos-test-${process.pid}`)
    try {
      mkdirSync(path)
      if (existsSync(join(path, limit))) return { path, limit: join(path, limit) }
      rmdirSync(path)
    } catch {}
  }
  return undefined
}

after(() => {
  if (group !== undefined) rmdirSync(group.path)
})

const needsCgroup = group === undefined ? { skip: 'needs the right to make a cgroup with a memory limit' } : {}

for (const limitMb of LIMITS_MB)
  test(`${limitMb} MB of memory and large documents: nothing accepted is lost`, {
    ...needsCgroup,
    timeout: 1_800_000,
  }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'pharos-memory-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    writeFileSync(group?.limit ?? '', `${limitMb << 20}`)
    const launcher = ['sh', '-c', `echo $$ > ${group?.path}/cgroup.procs && exec "$@"`, 'sh']
    const taken = new Set<number>()
    const ends: string[] = []
    for (let round = 0; round < ROUNDS && taken.size < DOCUMENTS; round++) {
      const server = await startServer({ flags: [], dataDir, launcher }).catch(() => undefined)
      if (server === undefined) {
        ends.push('at its start')
        continue
      }
      let exit: Exit | undefined
      void server.exited.then((it) => {
        exit = it
      })
      const missing = Array.from({ length: DOCUMENTS }, (_, at) => at).filter((it) => !taken.has(it))
      await parallel(missing, 8, async (at) => {
        const answer = await server.api('POST', '/service-api/ingestion', documentOf(at)).catch(() => undefined)
        if (answer?.status === 200) taken.add(at)
        else assert.ok(answer === undefined || answer.status === 503, `answered ${answer?.status}`)
      })
      await waitFor(
        async () => exit !== undefined || (await pending(server).catch(() => 1)) === 0,
        'the index',
        300_000,
      )
      if (exit === undefined) await server.stop()
      else ends.push(`${exit.signal ?? exit.code}`)
    }
    t.diagnostic(
      `${taken.size} of ${DOCUMENTS} documents of ${CHARACTERS} characters accepted; ended: ${ends.join(', ') || 'never'}`,
    )
    assert.ok(taken.size > 0, 'nothing was accepted')

    // Without the limit: this part checks the data, not the memory.
    const next = await startServer({ flags: [], dataDir })
    await settled(next, 600_000)
    for (const at of taken) {
      const { body } = await next.api('POST', '/search', { query: `marker${at}`, num_hits: 1 })
      assert.equal((body as { total: number }).total, 1, `document ${at}`)
    }
    await next.stop()
  })

const WORDS = Array.from({ length: 5_000 }, (_, at) => `word${(at * 7_919).toString(36)}`)

function documentOf(at: number) {
  const count = Math.floor(CHARACTERS / 8)
  const words = Array.from({ length: count }, (_, word) => WORDS[(word * (at + 3)) % WORDS.length])
  const text = `${words.join(' ').slice(0, CHARACTERS - 20)} marker${at}`
  return { document: { id: `large/${at}`, semantic_identifier: `Large ${at}`, sections: [{ text }], metadata: {} } }
}
