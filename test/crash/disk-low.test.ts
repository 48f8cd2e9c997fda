// A nearly full disk: a small tmpfs in a mount namespace of the program.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { launch, type Server, settled, waitFor } from '../server.ts'

const MOUNT = `mount -t tmpfs -o size=64m,mode=700 none "$0" && exec "$@"`
const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0
const namespaces = canMount ? {} : { skip: 'needs user namespaces that may mount a tmpfs (unshare -Urm)' }
const MIN_FREE_MB = 20

interface Disk {
  state: string
  free_mb: number
  min_free_mb: number
}

const disk = async ({ api }: Server) => ((await api('GET', '/health/ready')).body as { data: { disk: Disk } }).data.disk

/** The path in the program's view of the folder. */
const ballast = ({ pid, dataDir }: Server) => join(`/proc/${pid}/root`, dataDir, 'ballast')
const weigh = (server: Server, mb: number) => writeFile(ballast(server), Buffer.alloc(mb * 2 ** 20, 'x'))

/** Measured now; the program's own figure is up to a second old. */
async function freeMb({ pid, dataDir }: Server): Promise<number> {
  const { bavail, bsize } = await statfs(join(`/proc/${pid}/root`, dataDir))
  return (bavail * bsize) / 2 ** 20
}

const push = ({ api }: Server, id: string) =>
  api('POST', '/service-api/ingestion', {
    document: { id, semantic_identifier: id, sections: [{ text: 'heliotrope' }], metadata: {} },
  })

function upload({ api }: Server) {
  const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'
  return api('POST', '/user/file/upload', Buffer.from(body), { 'content-type': 'multipart/form-data; boundary=x' })
}

/** The record can still be written: these alerts are in it. */
const alertsAre = (server: Server, kinds: string[]) =>
  waitFor(async () => {
    const { open } = (await server.api('GET', '/admin/alerts')).body as { open: { kind: string }[] }
    return (
      open
        .map((it) => it.kind)
        .sort()
        .join() === kinds.join()
    )
  }, `the alerts ${kinds}`)

const total = async ({ api }: Server) =>
  ((await api('POST', '/search', { query: 'heliotrope' })).body as { total: number }).total

test(
  'below the limit documents and files are refused with the reason, the rest works, and freeing space is enough',
  namespaces,
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pharos-low-'))
    const env = { MIN_FREE_DISK_MB: String(MIN_FREE_MB) }
    const server = await launch({ dataDir, env, launcher: ['unshare', '-Urm', 'sh', '-c', MOUNT, dataDir] })
    t.after(async () => {
      await server.kill()
      await rm(dataDir, { recursive: true, force: true })
    })
    const becomes = (state: string) =>
      waitFor(async () => (await disk(server)).state === state, `a disk that is ${state}`)
    assert.equal((await disk(server)).min_free_mb, MIN_FREE_MB)
    for (const id of ['a', 'b']) assert.equal((await push(server, id)).status, 200)
    await settled(server)

    await weigh(server, 64 - MIN_FREE_MB)
    await becomes('low')
    await alertsAre(server, ['disk_full', 'disk_nearly_full'])
    const ready = () => server.api('GET', '/health/ready')
    await waitFor(async () => (await ready()).status === 503, 'a service that is not ready')
    assert.match(((await ready()).body as { detail: string }).detail, /has [\d.]+ MB left, and 20 MB are reserved/)
    for (const refused of [await push(server, 'c'), await upload(server)]) {
      const { error_code, detail } = refused.body as { error_code: string; detail: string }
      assert.deepEqual([refused.status, error_code], [503, 'DISK_LOW'])
      assert.match(detail, /^The data disk has [\d.]+ MB left, and 20 MB are reserved\./)
      assert.match(String(refused.headers['retry-after']), /^\d+$/)
    }
    assert.equal(await total(server), 2)
    assert.equal((await server.api('DELETE', '/service-api/ingestion/b')).status, 200)
    await waitFor(async () => (await total(server)) === 1, 'the deletion')

    // Slightly more than the limit does not suffice; otherwise writes would toggle.
    // Writing the file again would free all of its space for a moment.
    const ballastMb = 64 - MIN_FREE_MB + (await freeMb(server)) - MIN_FREE_MB - 2
    await truncate(ballast(server), Math.floor(ballastMb) * 2 ** 20)
    await waitFor(async () => (await disk(server)).free_mb > MIN_FREE_MB, 'a little room')
    assert.deepEqual([(await disk(server)).state, (await push(server, 'c')).status], ['low', 503])

    await rm(ballast(server))
    await becomes('ok')
    await waitFor(async () => (await ready()).status === 200, 'a service that is ready')
    assert.deepEqual([(await push(server, 'c')).status, (await upload(server)).status], [200, 200])
    await settled(server)
    assert.equal(await total(server), 2)
    assert.match(server.output(), /disk nearly full[\s\S]*disk space available again/)
  },
)
