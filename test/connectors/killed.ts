// Kills the program in the middle of a run, and starts it again: what it comes to must be as if nothing had been.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startPulling } from './steps.ts'

interface Source<R> {
  intercept: (request: R) => undefined | Promise<undefined>
}

interface Killed<R> {
  /** As it is sent to make one. */
  connector: Record<string, unknown> & { source: string }
  credential_json: Record<string, unknown>
  server: { intercept: unknown }
  /** Whether that request is one of those that are counted. */
  isRead: (request: R) => boolean
  /** At which of them it is killed. */
  at: number
}

/** Answers the ids of the documents when the run that went on has ended. */
export async function killedInTheMiddle<R>({
  connector,
  credential_json,
  server,
  isRead,
  at,
}: Killed<R>): Promise<string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-killed-'))
  after(() => rm(dataDir, { recursive: true, force: true }))
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: inTheMiddle, resolve: reached } = Promise.withResolvers<void>()
  let reads = 0
  const source = server as Source<R>
  source.intercept = async (request) => {
    if (!isRead(request)) return
    reads += 1
    if (reads < at) return
    reached()
    await held
  }
  const env = { DATA_DIR: dataDir }
  const first = await startPulling(env)
  const body = { credential_json, admin_public: true, source: connector.source }
  const credential = (await first.ok('POST', '/manage/credential', { body })).id
  const pair = await first.pull('Killed', connector, { credential })
  await inTheMiddle
  await first.server.kill()
  source.intercept = () => undefined
  release()
  const second = await startPulling(env)
  const { status } = await second.ended(pair)
  const ids = await second.documents(pair)
  assert.deepEqual([status, (await second.attempts(pair)).length], ['success', 1])
  await second.server.stop()
  return ids
}
