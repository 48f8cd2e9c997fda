// Simulated sources for runs that are killed, with more documents than a connector reads at once.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openConfluence, USERNAME } from '../connectors/confluence-server.ts'
import { openGitHub } from '../connectors/github-server.ts'
import { openGitLab } from '../connectors/gitlab-server.ts'
import { openSite, pageOf } from '../connectors/site.ts'
import { EMAIL, openTracker } from '../connectors/tracker-server.ts'
import type { KilledSource } from './connector.ts'
import { openProxyTo } from './test-proxy.ts'

/** Maps names to functions that take the number of documents. */
export const SIMULATED_SOURCES: Record<string, (count: number) => Promise<KilledSource>> = {
  web,
  file,
  'ticket_tracker of the cloud': (count) => tracker('cloud', count),
  'ticket_tracker of a server': (count) => tracker('server', count),
  github,
  gitlab,
  'confluence of the cloud': (count) => confluence('cloud', count),
  'confluence of a server': (count) => confluence('server', count),
}

/** Long enough to dominate the metadata of a document. */
const LONG = 'A text that goes on and on. '.repeat(80)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** Each page links to the next three, so the crawl is not finished early. */
async function web(count: number): Promise<KilledSource> {
  const site = await openSite()
  for (const at of numbers(count)) {
    const links = [3 * at + 1, 3 * at + 2, 3 * at + 3].filter((it) => it < count).map((it) => `/p${it}`)
    site.pages.set(at === 0 ? '/' : `/p${at}`, pageOf(`Page ${at}`, `The text of page ${at}. ${LONG}`, links))
  }
  const { flow, url: base_url } = await openProxyTo(site.url)
  // Larger crawls have fewer checkpoints; 16 more pages may be in flight.
  return { source: 'web', config: { base_url }, flow, atOnce: Math.max(32, count / 16) + 16 }
}

async function file(count: number): Promise<KilledSource> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-watched-'))
  after(() => rmSync(folder, { recursive: true }))
  for (const at of numbers(count)) {
    mkdirSync(join(folder, `${at % 7}`), { recursive: true })
    writeFileSync(join(folder, `${at % 7}/${at}.md`), `# File ${at}\n\n${LONG}`)
  }
  return { source: 'file', config: { folder }, env: { CONNECTOR_FOLDERS: folder }, atOnce: 1 }
}

async function tracker(kind: 'cloud' | 'server', count: number): Promise<KilledSource> {
  const server = await openTracker(kind)
  for (const at of numbers(count)) server.put(`AB-${at + 1}`, { environment: LONG })
  const { flow, url: tracker_base_url } = await openProxyTo(server.url)
  const email = kind === 'cloud' ? { jira_user_email: EMAIL } : {}
  const credential_json = { ...email, jira_api_token: 'token' }
  return { source: 'ticket_tracker', config: { tracker_base_url }, credential_json, flow, atOnce: 60 }
}

async function github(count: number): Promise<KilledSource> {
  const server = await openGitHub()
  for (const it of numbers(3)) server.repository(`r${it}`)
  for (const at of numbers(count)) server.issue(`r${at % 3}`, at + 1, { body: `Issue ${at}. ${LONG}` })
  const { flow, url: github_base_url } = await openProxyTo(server.url)
  const credential_json = { github_access_token: 'ghp_token' }
  return { source: 'github', config: { repo_owner: 'octo', github_base_url }, credential_json, flow, atOnce: 105 }
}

async function gitlab(count: number): Promise<KilledSource> {
  const server = await openGitLab()
  for (const at of numbers(count)) {
    server.put(at % 2 === 0 ? 'issues' : 'merge_requests', at + 1, { description: `${at} ${LONG}` })
  }
  const { flow, url: gitlab_url } = await openProxyTo(server.url)
  const config = { project_owner: 'diaspora', project_name: 'diaspora-client' }
  const credential_json = { gitlab_url, gitlab_access_token: 'glpat-token' }
  return { source: 'gitlab', config, credential_json, flow, atOnce: 105 }
}

async function confluence(kind: 'cloud' | 'server', count: number): Promise<KilledSource> {
  const wiki = await openConfluence(kind)
  const isCloud = kind === 'cloud'
  const storage = (at: number) => ({ storage: { value: `<p>${at} ${LONG}</p>`, representation: 'storage' } })
  for (const at of numbers(count)) wiki.put(`${at + 1}`, { body: storage(at) })
  const { flow, url: wiki_base } = await openProxyTo(wiki.base)
  const username = isCloud ? { confluence_username: USERNAME } : {}
  const credential_json = { ...username, confluence_access_token: 'token' }
  return { source: 'confluence', config: { wiki_base, is_cloud: isCloud }, credential_json, flow, atOnce: 60 }
}
