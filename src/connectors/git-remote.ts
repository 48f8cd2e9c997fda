// A repository of a server, asked by the protocol of git, version 2: https://git-scm.com/docs/protocol-v2
import { type Pull, type PullAnswer, SourceError } from './connector.ts'
import { openPack, type Pack } from './git-pack.ts'

export interface Account {
  git_username: string | null
  git_access_token: string
}

export interface Remote {
  /** The commits that branches and tags of that name, or HEAD, point to. */
  resolve(name: string): Promise<{ oid: string; name: string } | null>
  /** A commit and its folders; its files too where the server cannot leave them out. */
  fetchTree(commit: string): Promise<Pack>
  fetchObjects(oids: readonly string[]): Promise<Pack>
}

export const URL_FIELD = 'connector_specific_config.repository_url'
const TOKEN_FIELD = 'credential_json.git_access_token'
const SERVICE = 'git-upload-pack'
const MAX_PACK = 256 << 20

/** Rejects with a `SourceError` that names the field. */
export async function openRemote({
  config,
  credential,
  fetch,
  signal,
}: Pick<Pull<{ repository_url: string }, Account>, 'config' | 'credential' | 'fetch' | 'signal'>): Promise<Remote> {
  const base = addressOf(config.repository_url)
  const headers = { 'git-protocol': 'version=2', ...(credential !== null && { authorization: basic(credential) }) }
  const first = await fetch(`${base}/info/refs?service=${SERVICE}`, { headers })
  refuse(first, credential !== null)
  const capabilities = capabilitiesOf(first)
  // A repository that was renamed is asked where it is now.
  const service = `${first.url.replace(/\/info\/refs\?.*$/s, '')}/${SERVICE}`
  const ask = async (command: string, words: readonly string[]): Promise<Line[]> => {
    const request = {
      method: 'POST' as const,
      headers: {
        ...headers,
        'content-type': `application/x-${SERVICE}-request`,
        accept: `application/x-${SERVICE}-result`,
      },
      body: [line(`command=${command}`), '0001', ...words.map(line), '0000'].join(''),
      maxBytes: MAX_PACK,
    }
    const answer = await fetch(service, request)
    refuse(answer, credential !== null)
    return linesOf(answer.body)
  }
  const fetchPack = async (words: readonly string[]) =>
    openPack(packIn(await ask('fetch', ['no-progress', 'ofs-delta', ...words, 'done'])), signal)
  return {
    resolve: async (name) =>
      referenceIn(await ask('ls-refs', ['peel', 'symrefs', ...namesOf(name).map((it) => `ref-prefix ${it}`)]), name),
    fetchTree: (commit) => {
      const words = ['deepen 1', `want ${commit}`]
      return fetchPack(capabilities.has('filter') ? ['filter blob:none', ...words] : words)
    },
    fetchObjects: (oids) => fetchPack(oids.map((it) => `want ${it}`)),
  }
}

export function addressOf(text: string): string {
  const given = text.trim().replace(/\/+$/, '')
  const url = URL.canParse(given) ? new URL(given) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname !== '/' && url.username === '') {
    return `${url.origin}${url.pathname}`
  }
  throw new SourceError('config', 'It must be the https address of a repository, without a name or password in it.', {
    field: URL_FIELD,
  })
}

/** Services that take a token take any name with it. */
const basic = ({ git_username, git_access_token }: Account): string =>
  `Basic ${Buffer.from(`${git_username ?? 'git'}:${git_access_token}`).toString('base64')}`

function refuse({ status, url }: PullAnswer, isSignedIn: boolean): void {
  const { host } = new URL(url)
  if (status === 200) return
  if (status === 401 || status === 403) {
    const way = isSignedIn ? 'The token is not accepted for this repository' : 'The repository needs a credential'
    throw new SourceError('credential', `${way}: ${host} answers ${status}.`, { field: TOKEN_FIELD, status })
  }
  const seen = isSignedIn ? ' that this credential may see' : ''
  const what = status === 404 ? `There is no repository${seen}` : 'That is no repository of git'
  throw new SourceError('config', `${what}: ${host} answers ${status}.`, { field: URL_FIELD, status })
}

/** A flush, a delimiter or an end is null. */
type Line = Buffer | null

const line = (text: string): string => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`

const unexpected = (what: string) => new SourceError('unexpected', `The server of the repository answers ${what}.`)

/** https://git-scm.com/docs/protocol-common#_pkt_line_format */
export function linesOf(body: Buffer): Line[] {
  const lines: Line[] = []
  for (let at = 0; at < body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
    if (!(length <= body.length - at) || length === 3) throw unexpected('something else than git does')
    const content = body.subarray(at + 4, at + Math.max(length, 4))
    if (content.toString('latin1', 0, 4) === 'ERR ') throw unexpected(`"${textOf(content.subarray(4)).slice(0, 300)}"`)
    lines.push(length < 4 ? null : content)
    at += Math.max(length, 4)
  }
  return lines
}

const textOf = (it: Line): string => (it?.toString('utf8') ?? '').replace(/\n$/, '')

function capabilitiesOf({ body, headers }: PullAnswer): ReadonlySet<string> {
  if (!/^application\/x-git-upload-pack-advertisement\b/i.test(headers['content-type'] ?? '')) {
    throw new SourceError('config', 'That is no repository of git, or one that is served as plain files.', {
      field: URL_FIELD,
    })
  }
  const words = linesOf(body).map(textOf)
  if (!words.includes('version 2'))
    throw new SourceError('config', 'Its server does not speak version 2 of the protocol of git.', { field: URL_FIELD })
  const format = words.find((it) => it.startsWith('object-format=')) ?? 'object-format=sha1'
  if (format !== 'object-format=sha1') throw unexpected(`that names are ${format.slice(14)}, and only sha1 is read`)
  const features = words.find((it) => it.startsWith('fetch=')) ?? 'fetch='
  return new Set(features.slice(6).split(' '))
}

const namesOf = (name: string): string[] => (name === 'HEAD' ? ['HEAD'] : [`refs/heads/${name}`, `refs/tags/${name}`])

function referenceIn(lines: readonly Line[], name: string): { oid: string; name: string } | null {
  const found = lines.map((it) => textOf(it).split(' '))
  for (const wanted of namesOf(name)) {
    const [oid, , ...more] = found.find(([, it]) => it === wanted) ?? []
    if (oid === undefined || !/^[0-9a-f]{40}$/.test(oid)) continue
    const peeled = more.find((it) => it.startsWith('peeled:'))?.slice(7)
    const target = more.find((it) => it.startsWith('symref-target:'))?.slice(14)
    return { oid: peeled ?? oid, name: (target ?? wanted).replace(/^refs\/(?:heads|tags)\//, '') }
  }
  return null
}

/** What comes on the first channel after the word; the second tells of progress, the third of an error. */
function packIn(lines: readonly Line[]): Buffer {
  const begin = lines.findIndex((it) => textOf(it) === 'packfile')
  if (begin < 0) throw unexpected('without what it was asked for')
  const parts: Buffer[] = []
  for (const it of lines.slice(begin + 1)) {
    if (it === null) break
    if (it[0] === 1) parts.push(it.subarray(1))
    if (it[0] === 3) throw unexpected(`"${textOf(it.subarray(1)).slice(0, 300)}"`)
  }
  return Buffer.concat(parts)
}
