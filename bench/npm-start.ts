// Starts the program like a user, with `npm start` in a folder, and waits until it listens.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../test/http.ts'

export interface NpmStart {
  child: ChildProcess
  /** From the command to the first response of /health. */
  tookMs: number
  stop(): Promise<void>
}

export async function npmStart(folder: string): Promise<NpmStart> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-bench-'))
  const begin = performance.now()
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ADMIN_API_KEY: '' }
  const child = spawn('npm', ['start', '--silent'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    }
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const api = connect(await address(child), '')
    const { status } = await api('GET', '/health')
    api.close()
    if (status !== 200) throw new Error(`/health returned ${status}`)
    return { child, tookMs: performance.now() - begin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`npm start ended with code ${code}:\n${output}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const match = /http:\/\/[^\s"]+/.exec(output)
      if (match) resolve(new URL(match[0]).origin)
    })
  })
}
