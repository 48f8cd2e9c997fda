// A Chromium whose pages have no debugger: under Playwright the browser notes the stack of each error that a library makes
// while it loads, and reads the whole file again for it. That took a tenth of the measured time.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WITHOUT_ADDRESS_BAR } from '../../test/e2e/chromium-flags.ts'

export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  WITHOUT_ADDRESS_BAR,
]
const START_MS = 30_000
const POLL_MS = 100

interface Answer {
  targetId?: string
  sessionId?: string
  browserContextId?: string
  targetInfo?: { title: string }
}

export type Send = (method: string, params?: object, sessionId?: string) => Promise<Answer>

export interface PlainBrowser {
  /** Sends one message of the Chrome DevTools protocol and returns its result. */
  send: Send
  /** Waits for a title of a page that begins with `start`, without running anything in the page. Returns the rest. */
  titleOf(targetId: string, start: string): Promise<string>
  close(): Promise<void>
}

export async function openPlainBrowser(): Promise<PlainBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'pharos-bench-'))
  const flags = [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank']
  const chromium = spawn('chromium', flags, { stdio: 'ignore' })
  const socket = new WebSocket(await addressOf(profile))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const send = sendOver(socket)
  return {
    send,
    async titleOf(targetId, start) {
      for (;;) {
        const { targetInfo } = await send('Target.getTargetInfo', { targetId })
        if (targetInfo?.title.startsWith(start)) return targetInfo.title.slice(start.length)
        await delay(POLL_MS)
      }
    },
    async close() {
      socket.close()
      await ended(chromium)
      await rm(profile, { recursive: true, force: true })
    },
  }
}

/** The browser writes its port and path into its profile once it listens. */
async function addressOf(profile: string): Promise<string> {
  const until = Date.now() + START_MS
  for (;;) {
    const [port, path] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n')
    if (path !== undefined) return `ws://127.0.0.1:${port}${path}`
    if (Date.now() > until) throw new Error('Chromium did not start.')
    await delay(POLL_MS)
  }
}

function sendOver(socket: WebSocket): Send {
  const waiting = new Map<number, (answer: { result?: Answer; error?: { message: string } }) => void>()
  let last = 0
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data))
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  }
  return (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, error }) =>
        result === undefined ? reject(new Error(`${method}: ${error?.message}`)) : resolve(result),
      )
      socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await exit
}
