// Starts a real Redmine: Debian's package with its own database and port.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs } from '../needs.ts'
import { answers, freePort, ownFolder, startServerProcess } from './server-process.ts'

const PROGRAM = '/usr/share/redmine'

// biome-ignore lint/suspicious/noExplicitAny: each caller checks the response.
type Json = any

export interface Redmine {
  url: string
  /** The administrator's API key. */
  key: string
  /** Sends a request as the administrator. */
  ask(method: string, path: string, body?: object | Buffer): Promise<Json>
  createUser(login: string): Promise<{ id: number; key: string }>
}

/** Registers the tests, or a skipped test with the reason if no Redmine is available. */
export async function onRedmine(tests: (redmine: Redmine) => void | Promise<void>): Promise<void> {
  const need = needs('redmine')
  if (need.skip !== undefined) test('Redmine', need, () => {})
  else await tests(await startRedmine())
}

/** The number of issues in the project `below`, a child of `above`: more than one page of the API holds. */
export const SERIAL_ISSUES = 105

const SEED = `
# A mail that is written beside this would lock the database in the middle of a change.
ActiveJob::Base.queue_adapter = :inline
Redmine::DefaultData::Loader.load('en')
Setting.rest_api_enabled = '1'
Setting.notified_events = []
Setting.text_formatting = 'textile'
admin = User.find_by_login('admin')
admin.must_change_passwd = false
admin.mail = 'admin@example.org'
admin.save!
User.current = admin
modules = { is_public: true, enabled_module_names: %w(issue_tracking wiki), trackers: Tracker.all.to_a }
above = Project.create!(modules.merge(name: 'ABOVE', identifier: 'above'))
below = Project.create!(modules.merge(name: 'BELOW', identifier: 'below'))
below.set_parent!(above)
facts = { project: below, tracker: Tracker.first, author: admin, status: IssueStatus.first, priority: IssuePriority.first }
${SERIAL_ISSUES}.times { |at| Issue.create!(facts.merge(subject: "Serial #{at}")) }
puts "key #{admin.api_key}"
`

async function startRedmine(): Promise<Redmine> {
  const folder = ownFolder('redmine')
  for (const it of ['config', 'files', 'log', 'tmp/pids', 'tmp/cache', 'public/plugin_assets']) {
    mkdirSync(join(folder, it), { recursive: true })
  }
  const database = { adapter: 'sqlite3', database: join(folder, 'db.sqlite3'), timeout: 30_000 }
  // YAML accepts JSON.
  writeFileSync(join(folder, 'config/database.yml'), JSON.stringify({ production: database }))
  writeFileSync(join(folder, 'config/secret_key.txt'), randomBytes(64).toString('hex'))
  writeFileSync(join(folder, 'seed.rb'), SEED)
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: 'C.UTF-8',
    RAILS_ENV: 'production',
    REDMINE_LANG: 'en',
    // Instances are sibling folders, so the path goes up first.
    X_DEBIAN_SITEID: `../../../..${folder}`,
  }
  const rails = (...words: string[]) =>
    execFileSync('bundle', ['exec', ...words], {
      cwd: PROGRAM,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  rails('rake', 'db:migrate')
  const key = /^key (\w+)$/m.exec(rails('rails', 'runner', join(folder, 'seed.rb')))?.[1] ?? ''
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const listen = ['-q', '-e', 'production', '-t', '1:4', '-b', `tcp://127.0.0.1:${port}`, '--dir', PROGRAM]
  const command = ['puma', ...listen, join(PROGRAM, 'config.ru')]
  await startServerProcess({
    command,
    cwd: folder,
    env: env as Record<string, string>,
    probe: () => answers(`${url}/issue_statuses.json`),
  })
  const ask: Redmine['ask'] = async (method, path, body) => {
    const isFile = Buffer.isBuffer(body)
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-redmine-api-key': key,
        'content-type': isFile ? 'application/octet-stream' : 'application/json',
      },
      ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text.slice(0, 500)}`)
    return text.trim() === '' ? null : JSON.parse(text)
  }
  return {
    url,
    key,
    ask,
    async createUser(login) {
      const user = {
        login,
        firstname: login,
        lastname: 'Person',
        mail: `${login}@example.org`,
        password: 'a-long-password',
      }
      const { id } = (await ask('POST', '/users.json', { user })).user
      return { id, key: (await ask('GET', `/users/${id}.json`)).user.api_key }
    },
  }
}
