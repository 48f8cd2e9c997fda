// Sources for runs that are killed, for connectors with a real server.
import type { KilledSource } from '../crash/connector.ts'
import { openProxy, openProxyTo } from '../crash/test-proxy.ts'
import { seeded } from '../random.ts'
import { type Dovecot, PASSWORD } from './start-dovecot.ts'
import type { GitServer } from './start-git.ts'
import type { MediaWiki } from './start-mediawiki.ts'
import { KEYS, type Minio } from './start-minio.ts'
import type { Redmine } from './start-redmine.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** Random words, so that no transfer can compress them. */
function wordsOf(at: number, count = 400): string {
  const random = seeded(at)
  return numbers(count)
    .map(() => random.below(2 ** 31).toString(36))
    .join(' ')
}

export async function killedGit(server: GitServer, count: number): Promise<KilledSource> {
  const repository = server.create('killed', { isFiltering: true })
  repository.commit(Object.fromEntries(numbers(count).map((at) => [`d${at % 7}/f${at}.txt`, wordsOf(at)])))
  const { flow, url: repository_url } = await openProxyTo(repository.url)
  // A resumed run reads all folders again.
  return { source: 'git', config: { repository_url }, flow, atOnce: 100 + count / 20 }
}

export async function killedS3(minio: Minio, count: number): Promise<KilledSource> {
  await minio.createBucket('killed')
  for (const at of numbers(Math.ceil(count / 10))) {
    await Promise.all(numbers(10).map((it) => minio.put('killed', `${at}/${it}.txt`, wordsOf(10 * at + it))))
  }
  const { flow, url: endpoint_url } = await openProxyTo(minio.url)
  const config = { bucket_name: 'killed', endpoint_url }
  // A resumed run reads a list of up to 1,000 again.
  const list = Math.min(count, 1_000) / 5
  return { source: 's3', config, credential_json: KEYS, flow, atOnce: 100 + 8 + list }
}

export async function killedImap(dovecot: Dovecot, count: number): Promise<KilledSource> {
  const user = 'anna@example.org'
  for (const at of numbers(count)) {
    dovecot.save(user, 'Killed', `From: zoe@example.com\r\nSubject: Message ${at}\r\n\r\n${wordsOf(at)}\r\n`)
  }
  const flow = await openProxy(dovecot.port)
  const config = { host: '127.0.0.1', port: flow.port, mailboxes: ['Killed'] }
  const credential_json = { imap_username: user, imap_password: PASSWORD }
  // A resumed run reads all numbers again.
  const atOnce = 20 + 5 + count / 100
  return { source: 'imap', config, credential_json, env: { EGRESS_CA_FILE: dovecot.caFile }, flow, atOnce }
}

export async function killedMediaWiki(wiki: MediaWiki, count: number): Promise<KilledSource> {
  for (const at of numbers(count)) await wiki.edit(`Killed ${at}`, wordsOf(at))
  const { flow, url: hostname } = await openProxyTo(wiki.url)
  return { source: 'mediawiki', config: { hostname }, flow, atOnce: 50 + 10 }
}

/** A tenth of them are pages of its wiki. */
export async function killedRedmine({ ask, key, url }: Redmine, count: number): Promise<KilledSource> {
  const project = { identifier: 'killed', name: 'Killed', enabled_module_names: ['issue_tracking', 'wiki'] }
  const { id: project_id } = (await ask('POST', '/projects.json', { project })).project
  for (const at of numbers(count)) {
    const text = wordsOf(at, 200)
    if (at % 10 === 0) await ask('PUT', `/projects/killed/wiki/Page_${at}.json`, { wiki_page: { text } })
    else await ask('POST', '/issues.json', { issue: { project_id, subject: `Issue ${at}`, description: text } })
  }
  const { flow, url: base_url } = await openProxyTo(url)
  const config = { base_url, projects: ['killed'] }
  // A resumed run reads the list again, which contains the items that are then read one by one, and the permissions.
  return { source: 'redmine', config, credential_json: { redmine_api_key: key }, flow, atOnce: 100 + 60 }
}
