// Starts a real MediaWiki: Debian's package with its own database and port, run by PHP alone.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { needs } from '../needs.ts'
import { answers, freePort, ownFolder, startServerProcess } from './server-process.ts'

const PROGRAM = '/usr/share/mediawiki'
export const ADMIN = { name: 'Admin', password: 'Admin-Pass-1234' }

export interface MediaWiki {
  url: string
  /** The same wiki, readable only after a sign-in. */
  closedUrl: string
  /** Makes a change as an administrator, through the API. */
  edit(title: string, text: string): Promise<number>
  move(from: string, to: string): Promise<void>
  remove(title: string): Promise<void>
  /** Moves the times of all changes back by this much. */
  age(days: number): void
}

/** Registers the tests, or a skipped test with the reason if no wiki is available. */
export async function onMediaWiki(tests: (wiki: MediaWiki) => void | Promise<void>): Promise<void> {
  const need = needs('mediawiki')
  if (need.skip !== undefined) test('MediaWiki', need, () => {})
  else await tests(await startMediaWiki())
}

async function startMediaWiki(): Promise<MediaWiki> {
  const folder = ownFolder('mediawiki')
  const url = `http://127.0.0.1:${await freePort()}`
  install(folder, url)
  await serve(url, folder, join(folder, 'LocalSettings.php'))
  const closedUrl = `http://127.0.0.1:${await freePort()}`
  const closed = join(folder, 'ClosedSettings.php')
  const open = readFileSync(join(folder, 'LocalSettings.php'), 'utf8')
  writeFileSync(closed, `${open}\n$wgServer = '${closedUrl}';\n$wgGroupPermissions['*']['read'] = false;\n`)
  await serve(closedUrl, folder, closed)
  const act = await signIn(`${url}/api.php`)
  return {
    url,
    closedUrl,
    edit: async (title, text) => (await act({ action: 'edit', title, text })).edit.pageid,
    move: (from, to) => act({ action: 'move', from, to, noredirect: '1' }),
    remove: (title) => act({ action: 'delete', title }),
    age: (days) => age(join(folder, 'data/wiki.sqlite'), days),
  }
}

function install(folder: string, url: string): void {
  mkdirSync(join(folder, 'data'))
  const database = ['--dbtype', 'sqlite', '--dbpath', join(folder, 'data'), '--dbname', 'wiki']
  const place = ['--server', url, '--scriptpath', '', '--confpath', folder]
  const script = join(PROGRAM, 'maintenance/install.php')
  execFileSync('php', [script, ...database, ...place, '--pass', ADMIN.password, 'Pharos', ADMIN.name], {
    cwd: folder,
    stdio: 'pipe',
  })
  const settings = ['$wgMainCacheType = CACHE_NONE;', '$wgJobRunRate = 100;', '$wgRateLimits = [];']
  appendFileSync(join(folder, 'LocalSettings.php'), `\n${settings.join('\n')}\n`)
}

const serve = (url: string, cwd: string, settings: string) =>
  startServerProcess({
    command: ['php', '-S', new URL(url).host, '-t', PROGRAM],
    cwd,
    env: { MW_CONFIG_FILE: settings },
    probe: () => answers(`${url}/api.php?action=query&meta=siteinfo&format=json`),
  })

// biome-ignore lint/suspicious/noExplicitAny: each caller checks the response.
type Json = any

async function signIn(api: string): Promise<(parameters: Record<string, string>) => Promise<Json>> {
  const cookies = new Map<string, string>()
  const ask = async (parameters: Record<string, string>): Promise<Json> => {
    const response = await fetch(api, {
      method: 'POST',
      headers: { cookie: [...cookies].map((it) => it.join('=')).join('; ') },
      body: new URLSearchParams({ format: 'json', formatversion: '2', ...parameters }),
    })
    for (const it of response.headers.getSetCookie()) {
      const [name = '', value = ''] = it.split(';')[0]!.split('=')
      cookies.set(name, value)
    }
    const answer = (await response.json()) as Json
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error))
    return answer
  }
  const tokenOf = async (type: string) =>
    (await ask({ action: 'query', meta: 'tokens', type })).query.tokens[`${type}token`]
  const lgtoken = await tokenOf('login')
  await ask({ action: 'login', lgname: ADMIN.name, lgpassword: ADMIN.password, lgtoken })
  const token = await tokenOf('csrf')
  return (parameters) => ask({ ...parameters, token, assert: 'user' })
}

function age(file: string, days: number): void {
  const db = new DatabaseSync(file, { timeout: 10_000 })
  const digits = new Date(Date.now() - days * 86_400_000).toISOString().replace(/\D/g, '').slice(0, 14)
  db.exec(`update recentchanges set rc_timestamp = '${digits}'`)
  db.close()
}
