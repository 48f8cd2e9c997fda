// The environment, read once, checked at start, and frozen. Nothing else reads process.env.
import { randomBytes, X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const EMBEDDINGS = ['local', 'openai', 'off'] as const
const METRICS = ['key', 'public', 'off'] as const
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

interface Setting {
  name: string
  fallback: string
  help: string
  /** What is wrong with the value, if anything. */
  fault?: (value: string) => string | undefined
}

const between = (min: number, max: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
    ? undefined
    : `a whole number from ${min} to ${max}`
const orNothing = (fault: (value: string) => string | undefined) => (value: string) =>
  value === '' ? undefined : fault(value)
const oneOf = (values: readonly string[]) => (value: string) =>
  values.includes(value) ? undefined : `one of ${values.join(', ')}`
const atLeast = (length: number) => (value: string) =>
  value === '' || value.length >= length ? undefined : `a text of at least ${length} characters`

/** As they are: a key may begin or end with a space. */
const linesOf = (value: string) => value.split(/\r?\n/).filter((it) => it.trim() !== '')

const isHttp = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value)

/** The address itself is not quoted: it holds a password. */
const isPostgresAddress = (value: string) =>
  value === '' || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value))
    ? undefined
    : 'an address like postgres://user:password@host:5432/database'

export const SETTINGS: readonly Setting[] = [
  { name: 'HOST', fallback: '127.0.0.1', help: 'address to listen on; 0.0.0.0 for every network' },
  { name: 'PORT', fallback: '8080', help: 'port to listen on; 0 for any free one', fault: between(0, 65_535) },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    help: 'where browsers reach the service, such as https://pharos.example.com; else http:// with HOST and PORT',
    fault: orNothing((value) =>
      isHttp(value) && new URL(value).origin === value.replace(/\/$/, '')
        ? undefined
        : 'an address like https://pharos.example.com',
    ),
  },
  { name: 'DATA_DIR', fallback: './data', help: 'folder that holds everything; "pharos backup" backs it up' },
  {
    name: 'DATABASE_URL',
    fallback: '',
    help: 'postgres://… keeps the record in PostgreSQL 15 or newer; without it it is a file in DATA_DIR',
    fault: isPostgresAddress,
  },
  {
    name: 'ADMIN_API_KEY',
    fallback: '',
    help: 'administrator key, 20 characters or more; else one is made and kept in DATA_DIR/admin-api-key',
    fault: atLeast(20),
  },
  {
    name: 'SECRET_KEY',
    fallback: '',
    help: 'encrypts stored secrets, 20 characters or more; else one is made and kept in DATA_DIR/secret-key',
    fault: atLeast(20),
  },
  {
    name: 'METRICS',
    fallback: 'key',
    help: 'who reads /metrics: key (one with the scope metrics, or an administrator), public (everybody), off (nobody)',
    fault: oneOf(METRICS),
  },
  {
    name: 'SECRET_KEY_PREVIOUS',
    fallback: '',
    help: 'the former SECRET_KEY, so that what it encrypted can be read and follows to the new one; several on a line each',
    fault: (value) => (linesOf(value).every((it) => it.length >= 20) ? undefined : 'texts of at least 20 characters'),
  },
  {
    name: 'MIN_FREE_DISK_MB',
    fallback: '',
    help: 'space kept free on the disk of DATA_DIR, below it no documents are taken; else 512 MB or 2 % of it; 0 for none',
    fault: orNothing(between(0, 1_000_000_000)),
  },
  {
    name: 'MERGE_MB_PER_SECOND',
    fallback: '64',
    help: 'what merges of the index may write to disk; 0 for no limit',
    fault: between(0, 1_000_000),
  },
  {
    name: 'EMBEDDING',
    fallback: 'local',
    help: 'what finds texts of like meaning: local (the model that comes with the program), openai (a server), off',
    fault: oneOf(EMBEDDINGS),
  },
  {
    name: 'EMBEDDING_URL',
    fallback: '',
    help: 'for openai: where its /embeddings is, such as http://localhost:11434/v1',
    fault: orNothing((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  { name: 'EMBEDDING_KEY', fallback: '', help: 'for openai: the key of that server, if it wants one' },
  { name: 'EMBEDDING_MODEL', fallback: '', help: 'for openai: the name that the model has there' },
  {
    name: 'LLM_URL',
    fallback: '',
    help: 'where the /chat/completions of a language model is, such as http://localhost:11434/v1; administrators can set up others',
    fault: orNothing((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  { name: 'LLM_KEY', fallback: '', help: 'the key of that server, if it wants one' },
  { name: 'LLM_MODEL', fallback: '', help: 'the name that the model has there' },
  {
    name: 'LLM_MAX_INPUT_TOKENS',
    fallback: '8192',
    help: 'how many tokens it reads at once, its answer included',
    fault: between(256, 100_000_000),
  },
  {
    name: 'EGRESS_ALLOW',
    fallback: '',
    help: 'what may be called beyond the public internet: wiki.corp, *.corp, 10.0.0.0/8, wiki.corp:8443, parted by commas',
  },
  {
    name: 'EGRESS_APPROVALS',
    fallback: 'on',
    help: 'whether an administrator may open further hosts by the API: on or off',
    fault: oneOf(['on', 'off']),
  },
  { name: 'EGRESS_PROXY', fallback: '', help: 'http(s)://user:password@host:port that outbound calls go through' },
  { name: 'EGRESS_CA_FILE', fallback: '', help: 'PEM file of authorities to trust beside those of the system' },
  {
    name: 'CONNECTOR_FOLDERS',
    fallback: '',
    help: 'folders of this machine that file connectors may read, parted by commas',
  },
  {
    name: 'CONNECTOR_PARALLEL',
    fallback: '4',
    help: 'requests to one host that connectors have under way together',
    fault: between(1, 1_000),
  },
  {
    name: 'CONNECTOR_REQUESTS_PER_SECOND',
    fallback: '10',
    help: 'requests to one host that connectors begin within a second; 0 for no limit',
    fault: between(0, 100_000),
  },
  { name: 'LOG_LEVEL', fallback: 'info', help: `how much to log: ${LOG_LEVELS.join(', ')}`, fault: oneOf(LOG_LEVELS) },
]

/** What the command line reads beside the settings; they have no form without the prefix. */
export const CLIENT_SETTINGS = [
  { name: 'PHAROS_URL', help: 'where commands find the service' },
  { name: 'PHAROS_API_KEY', help: 'the key that they use' },
] as const

/** Which model turns texts into vectors. */
export type EmbeddingSettings =
  | { kind: 'local' | 'off' }
  | { kind: 'openai'; url: string; key: string | null; model: string }

/** The language model that the operator names. */
export interface LanguageModelSettings {
  url: string
  key: string | null
  model: string
  max_input_tokens: number
}

/** Where the data lies, for who works on it while the service may or may not run. Nothing is made by reading it. */
export interface Place {
  dataDir: string
  /** Of PostgreSQL, or null for the embedded database. */
  databaseUrl: string | null
  /** Null: the one of DATA_DIR/secret-key. */
  secretKey: string | null
  previousSecretKeys: readonly string[]
  logLevel: (typeof LOG_LEVELS)[number]
  embedding: EmbeddingSettings
  /** For tests: kills the process at the nth passing of a named step. */
  failpoint: string | null
}

export interface Config extends Place {
  host: string
  languageModel: LanguageModelSettings | null
  port: number
  /** Without a slash at the end; null for where it listens. */
  publicUrl: string | null
  adminApiKey: string
  /** Whether the administrator key was made just now, so that it is shown once. */
  isNewAdminApiKey: boolean
  /** Null for as much as fits the disk. */
  minFreeDiskMb: number | null
  mergeBytesPerSecond: number
  /** Folders of this machine that connectors may read. */
  connectorFolders: readonly string[]
  /** Requests to one host, of all connectors. */
  connectorParallel: number
  connectorPerSecond: number
  egressAllow: string
  egressApprovals: 'on' | 'off'
  egressProxy: string
  /** What EGRESS_CA_FILE holds. */
  egressCa: string | null
  /** Who may read the metrics. */
  metrics: (typeof METRICS)[number]
  /** For `npm run bench`: adds a route that only parses and answers. */
  isBench: boolean
}

/** A setting that cannot be used; the message names it and what would do. */
export class ConfigError extends Error {}

export function readConfig(env: NodeJS.ProcessEnv): Readonly<Config> {
  const place = readPlace(env)
  const value = (name: string) => settingOf(env, name)
  const dataDir = openFolder(place.dataDir)
  const admin = keptSecret(value('ADMIN_API_KEY'), join(dataDir, 'admin-api-key'))
  return Object.freeze({
    ...place,
    host: value('HOST'),
    languageModel: languageModelOf(env),
    port: Number(value('PORT')),
    publicUrl: value('PUBLIC_URL').replace(/\/$/, '') || null,
    adminApiKey: admin.secret,
    isNewAdminApiKey: admin.isNew,
    minFreeDiskMb: value('MIN_FREE_DISK_MB') === '' ? null : Number(value('MIN_FREE_DISK_MB')),
    mergeBytesPerSecond: Number(value('MERGE_MB_PER_SECOND')) * 2 ** 20,
    connectorFolders: value('CONNECTOR_FOLDERS')
      .split(',')
      .map((it) => it.trim())
      .filter((it) => it !== '')
      .map((it) => resolve(it)),
    connectorParallel: Number(value('CONNECTOR_PARALLEL')),
    connectorPerSecond: Number(value('CONNECTOR_REQUESTS_PER_SECOND')),
    egressAllow: value('EGRESS_ALLOW'),
    egressApprovals: value('EGRESS_APPROVALS') === 'on' ? 'on' : 'off',
    egressProxy: value('EGRESS_PROXY'),
    egressCa: certificatesIn(value('EGRESS_CA_FILE')),
    metrics: value('METRICS') as Config['metrics'],
    isBench: env.BENCH === '1',
  })
}

export function readPlace(env: NodeJS.ProcessEnv): Readonly<Place> {
  refuseUnknown(env)
  return Object.freeze({
    dataDir: resolve(settingOf(env, 'DATA_DIR')),
    databaseUrl: settingOf(env, 'DATABASE_URL') || null,
    secretKey: settingOf(env, 'SECRET_KEY') || null,
    previousSecretKeys: linesOf(settingOf(env, 'SECRET_KEY_PREVIOUS')),
    logLevel: settingOf(env, 'LOG_LEVEL') as Config['logLevel'],
    embedding: embeddingOf(env),
    failpoint: env.FAILPOINT ?? null,
  })
}

function embeddingOf(env: NodeJS.ProcessEnv): EmbeddingSettings {
  const kind = settingOf(env, 'EMBEDDING') as EmbeddingSettings['kind']
  const [url, key, model] = ['EMBEDDING_URL', 'EMBEDDING_KEY', 'EMBEDDING_MODEL'].map((it) => settingOf(env, it))
  if (kind !== 'openai') return { kind }
  const missing = url === '' ? 'EMBEDDING_URL' : 'EMBEDDING_MODEL'
  if (!url || !model) throw new ConfigError(`${missing} must be set when EMBEDDING is openai.`)
  return { kind, url, key: key || null, model }
}

function languageModelOf(env: NodeJS.ProcessEnv): LanguageModelSettings | null {
  const [url, key, model] = ['LLM_URL', 'LLM_KEY', 'LLM_MODEL'].map((it) => settingOf(env, it))
  if (!url && !model) return null
  if (!url) throw new ConfigError('LLM_URL must be set where LLM_MODEL is.')
  if (!model) throw new ConfigError('LLM_MODEL must be set where LLM_URL is.')
  return { url, key: key || null, model, max_input_tokens: Number(settingOf(env, 'LLM_MAX_INPUT_TOKENS')) }
}

/** Where commands find the service and what they show it; on this machine, what the service itself goes by. */
export function readClient(env: NodeJS.ProcessEnv): {
  url: string | null
  key: string | null
  ownUrl: string
  ownKey: string | null
} {
  const host = settingOf(env, 'HOST')
  const name = ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const path = join(resolve(settingOf(env, 'DATA_DIR')), 'admin-api-key')
  return {
    url: env.PHAROS_URL ?? null,
    key: env.PHAROS_API_KEY ?? null,
    ownUrl: `http://${name}:${settingOf(env, 'PORT')}`,
    ownKey: settingOf(env, 'ADMIN_API_KEY') || (existsSync(path) ? readFileSync(path, 'utf8').trim() : null),
  }
}

function settingOf(env: NodeJS.ProcessEnv, name: string): string {
  const setting = SETTINGS.find((it) => it.name === name)!
  const text = env[`PHAROS_${name}`] ?? env[name] ?? setting.fallback
  const wanted = setting.fault?.(text)
  if (wanted !== undefined) throw new ConfigError(`${name} must be ${wanted}.`)
  return text
}

export function helpText(): string {
  const rows = SETTINGS.map(({ name, fallback, help }) => `  ${name.padEnd(20)} ${help}${fallback && ` (${fallback})`}`)
  const ours = CLIENT_SETTINGS.map(({ name, help }) => `  ${name.padEnd(20)} ${help}`)
  return ['Settings are environment variables; PHAROS_PORT etc. win over PORT etc.', ...rows, ...ours].join('\n')
}

/** A misspelt setting must not be a silent one. */
function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = new Set([
    ...SETTINGS.map((it) => `PHAROS_${it.name}`),
    ...CLIENT_SETTINGS.map((it) => it.name as string),
  ])
  const unknown = Object.keys(env).find((it) => it.startsWith('PHAROS_') && !known.has(it))
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is no setting of this program. "npm start -- --help" lists them.`)
  }
}

function openFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(join(path, '.writable'), '')
    return path
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a folder that can be written to: ${(error as Error).message}.`)
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function certificatesIn(path: string): string | null {
  if (path === '') return null
  try {
    const pem = readFileSync(path, 'utf8')
    const certificates = pem.match(PEM_CERTIFICATE) ?? []
    if (certificates.length === 0) throw new Error('there is none in it')
    for (const it of certificates) new X509Certificate(it)
    return pem
  } catch (error) {
    throw new ConfigError(`EGRESS_CA_FILE must name a PEM file with certificates: ${(error as Error).message}.`)
  }
}

/** The secret of the environment, else the one in the file, else a new one that is kept there. */
function keptSecret(given: string, path: string): { secret: string; isNew: boolean } {
  if (given !== '') return { secret: given, isNew: false }
  if (existsSync(path)) {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret.length < 20)
      throw new ConfigError(`${path} must hold at least 20 characters; delete it to get a new one.`)
    return { secret, isNew: false }
  }
  const secret = randomBytes(32).toString('base64url')
  // Whole or not at all: a power cut must not leave an empty file for the next start.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
  return { secret, isNew: true }
}
