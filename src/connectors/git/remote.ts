// Client for the Git wire protocol, version 2: https://git-scm.com/docs/protocol-v2
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type ConnectorContext, SourceError, type SourceResponse } from '../connector.ts'
import { type GitPack, openPack } from './pack.ts'

export interface GitCredential {
  git_username: string | null
  git_access_token: string
}

export interface GitRemote {
  /** Resolves a branch, a tag or HEAD to its commit. Null if there is none. */
  resolve(name: string): Promise<{ oid: string; name: string } | null>
  /** Fetches a commit and its trees, plus the blobs if the server does not support filters. */
  fetchTree(commit: string): Promise<GitPack>
  fetchObjects(oids: readonly string[]): Promise<GitPack>
}

export const URL_FIELD = 'connector_specific_config.repository_url'
const TOKEN_FIELD = 'credential_json.git_access_token'
const SERVICE = 'git-upload-pack'
const MAX_PACK = 256 << 20

/** Rejects with a `SourceError` that names the config or credential field. */
export async function openGitRemote({
  config,
  credential,
  fetch,
  signal,
}: Pick<
  ConnectorContext<{ repository_url: string }, GitCredential>,
  'config' | 'credential' | 'fetch' | 'signal'
>): Promise<GitRemote> {
  const base = parseRepositoryUrl(config.repository_url)
  const headers = { 'git-protocol': 'version=2', ...(credential !== null && { authorization: basicAuth(credential) }) }
  const first = await fetch(`${base}/info/refs?service=${SERVICE}`, { headers })
  throwIfGitRefused(first, credential !== null)
  const capabilities = capabilitiesOf(first)
  // A renamed repository redirects; later requests go to its new address.
  const service = `${first.url.replace(/\/info\/refs\?.*$/s, '')}/${SERVICE}`
  const sendCommand = async (command: string, args: readonly string[]): Promise<PktLine[]> => {
    const request = {
      method: 'POST' as const,
      headers: {
        ...headers,
        'content-type': `application/x-${SERVICE}-request`,
        accept: `application/x-${SERVICE}-result`,
      },
      body: [pktLine(`command=${command}`), '0001', ...args.map(pktLine), '0000'].join(''),
      maxBytes: MAX_PACK,
    }
    const answer = await fetch(service, request)
    throwIfGitRefused(answer, credential !== null)
    return parsePktLines(answer.body)
  }
  const fetchPack = async (args: readonly string[]) =>
    openPack(joinPackData(await sendCommand('fetch', ['no-progress', 'ofs-delta', ...args, 'done'])), signal)
  return {
    resolve: async (name) =>
      findRef(
        await sendCommand('ls-refs', ['peel', 'symrefs', ...refNames(name).map((it) => `ref-prefix ${it}`)]),
        name,
      ),
    fetchTree: (commit) => {
      const args = ['deepen 1', `want ${commit}`]
      return fetchPack(capabilities.has('filter') ? ['filter blob:none', ...args] : args)
    },
    fetchObjects: (oids) => fetchPack(oids.map((it) => `want ${it}`)),
  }
}

export function parseRepositoryUrl(text: string): string {
  const given = trimEndCharacters(text.trim(), '/')
  const url = URL.canParse(given) ? new URL(given) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname !== '/' && url.username === '') {
    return `${url.origin}${url.pathname}`
  }
  throw new SourceError('config', 'Enter the https URL of a repository without user name and password.', {
    field: URL_FIELD,
  })
}

/** Services that accept a token ignore the user name. */
const basicAuth = ({ git_username, git_access_token }: GitCredential): string =>
  `Basic ${Buffer.from(`${git_username ?? 'git'}:${git_access_token}`).toString('base64')}`

function throwIfGitRefused({ status, url }: SourceResponse, isSignedIn: boolean): void {
  const { host } = new URL(url)
  if (status === 200) return
  if (status === 401 || status === 403) {
    const reason = isSignedIn
      ? 'The token does not have access to this repository'
      : 'The repository requires a credential'
    throw new SourceError('credential', `${reason}: ${host} returned HTTP ${status}.`, { field: TOKEN_FIELD, status })
  }
  const suffix = isSignedIn ? ' that this credential can access' : ''
  const what = status === 404 ? `Repository not found${suffix}` : 'Not a Git repository'
  throw new SourceError('config', `${what}: ${host} returned HTTP ${status}.`, { field: URL_FIELD, status })
}

/** Null for a flush, delimiter or response-end packet. */
type PktLine = Buffer | null

const pktLine = (text: string): string => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`

const unexpectedGitAnswer = (what: string) => new SourceError('unexpected', `The Git server returned ${what}.`)

/** https://git-scm.com/docs/protocol-common#_pkt_line_format */
export function parsePktLines(body: Buffer): PktLine[] {
  const lines: PktLine[] = []
  for (let at = 0; at < body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
    if (!(length <= body.length - at) || length === 3)
      throw unexpectedGitAnswer('a response that is not in the Git protocol')
    const content = body.subarray(at + 4, at + Math.max(length, 4))
    if (content.toString('latin1', 0, 4) === 'ERR ')
      throw unexpectedGitAnswer(`"${pktText(content.subarray(4)).slice(0, 300)}"`)
    lines.push(length < 4 ? null : content)
    at += Math.max(length, 4)
  }
  return lines
}

const pktText = (it: PktLine): string => (it?.toString('utf8') ?? '').replace(/\n$/, '')

function capabilitiesOf({ body, headers }: SourceResponse): ReadonlySet<string> {
  if (!/^application\/x-git-upload-pack-advertisement\b/i.test(headers['content-type'] ?? '')) {
    throw new SourceError('config', 'Not a Git repository, or one that is served over the dumb HTTP protocol.', {
      field: URL_FIELD,
    })
  }
  const words = parsePktLines(body).map(pktText)
  if (!words.includes('version 2'))
    throw new SourceError('config', 'The server does not support version 2 of the Git protocol.', { field: URL_FIELD })
  const format = words.find((it) => it.startsWith('object-format=')) ?? 'object-format=sha1'
  if (format !== 'object-format=sha1')
    throw unexpectedGitAnswer(`the object format ${format.slice(14)}; only sha1 is supported`)
  const features = words.find((it) => it.startsWith('fetch=')) ?? 'fetch='
  return new Set(features.slice(6).split(' '))
}

const refNames = (name: string): string[] => (name === 'HEAD' ? ['HEAD'] : [`refs/heads/${name}`, `refs/tags/${name}`])

function findRef(lines: readonly PktLine[], name: string): { oid: string; name: string } | null {
  const found = lines.map((it) => pktText(it).split(' '))
  for (const refName of refNames(name)) {
    const [oid, , ...more] = found.find(([, it]) => it === refName) ?? []
    if (oid === undefined || !/^[0-9a-f]{40}$/.test(oid)) continue
    const peeled = more.find((it) => it.startsWith('peeled:'))?.slice(7)
    const target = more.find((it) => it.startsWith('symref-target:'))?.slice(14)
    return { oid: peeled ?? oid, name: (target ?? refName).replace(/^refs\/(?:heads|tags)\//, '') }
  }
  return null
}

/** Joins band 1 after the packfile line. Band 2 carries progress messages, band 3 a fatal error. */
function joinPackData(lines: readonly PktLine[]): Buffer {
  const begin = lines.findIndex((it) => pktText(it) === 'packfile')
  if (begin < 0) throw unexpectedGitAnswer('no packfile')
  const parts: Buffer[] = []
  for (const it of lines.slice(begin + 1)) {
    if (it === null) break
    if (it[0] === 1) parts.push(it.subarray(1))
    if (it[0] === 3) throw unexpectedGitAnswer(`"${pktText(it.subarray(1)).slice(0, 300)}"`)
  }
  return Buffer.concat(parts)
}
