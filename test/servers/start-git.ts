// Starts a real git server: `git http-backend` behind a server that may require a token.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { needs } from '../needs.ts'
import { ownFolder } from './server-process.ts'

export const TOKEN = 'a-token-that-may-read'

export interface Repository {
  url: string
  /** Writes files (null removes one), commits and publishes them. */
  commit(files: Record<string, string | Buffer | null>): void
  git(...words: string[]): string
  /** The number of requests for objects, and of the bytes sent for them. */
  asked: { requests: number; bytes: number }
}

export interface GitServer {
  /** `isFiltering`: supports filters, like the large services. Repositories below `closed/` need the token. */
  create(name: string, settings: { isFiltering: boolean }): Repository
}

/** Registers the tests, or a skipped test with the reason if git is missing. */
export async function onGit(tests: (server: GitServer) => void | Promise<void>): Promise<void> {
  const need = needs('git')
  if (need.skip !== undefined) test('git', need, () => {})
  else await tests(await startGit())
}

async function startGit(): Promise<GitServer> {
  const folder = ownFolder('git')
  const asked = new Map<string, Repository['asked']>()
  const server = createServer((request, response) => answer(folder, asked, request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    create(name, { isFiltering }) {
      const [bare, work] = [join(folder, `${name}.git`), join(folder, 'work', name)]
      const git = (cwd: string, words: readonly string[]) =>
        execFileSync('git', [...IDENTITY, ...words], { cwd, encoding: 'utf8', stdio: 'pipe', env: environment(folder) })
      git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', bare])
      git(bare, ['config', 'uploadpack.allowFilter', `${isFiltering}`])
      mkdirSync(work, { recursive: true })
      git(folder, ['clone', '--quiet', bare, work])
      const counts = { requests: 0, bytes: 0 }
      asked.set(`/${name}.git`, counts)
      return {
        url: `http://127.0.0.1:${port}/${name}.git`,
        asked: counts,
        git: (...words) => git(work, words),
        commit(files) {
          for (const [path, content] of Object.entries(files)) {
            mkdirSync(dirname(join(work, path)), { recursive: true })
            if (content === null) rmSync(join(work, path))
            else writeFileSync(join(work, path), content)
          }
          git(work, ['add', '--all'])
          git(work, ['commit', '--quiet', '--message', 'Change'])
          git(work, ['push', '--quiet', 'origin', 'HEAD'])
        },
      }
    },
  }
}

const IDENTITY = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com', '-c', 'init.defaultBranch=main']
const environment = (folder: string) => ({ PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' })

/** As a CGI: https://git-scm.com/docs/git-http-backend */
function answer(
  folder: string,
  asked: Map<string, Repository['asked']>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://x')
  const isKnown = request.headers.authorization === `Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}`
  if (pathname.startsWith('/closed/') && !isKnown) {
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
    return
  }
  const counts = request.method === 'POST' ? asked.get(pathname.replace(/\/git-upload-pack$/, '')) : undefined
  if (counts !== undefined) counts.requests += 1
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...environment(folder),
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: `${request.headers['git-protocol'] ?? ''}`,
      REQUEST_METHOD: request.method,
      QUERY_STRING: search.slice(1),
      PATH_INFO: pathname,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'],
      // The owner of the folder may differ from the user who runs the test.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  backend.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    const lines = output.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map((it) => [it.split(': ')[0]!.toLowerCase(), it.split(': ')[1]!]))
    const body = output.subarray(end + 4)
    if (counts !== undefined) counts.bytes += body.length
    const { status = '200', ...rest } = headers
    response.writeHead(Number.parseInt(status, 10), rest).end(body)
  })
}
