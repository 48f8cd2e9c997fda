// Reads the environment once, validates it at start and freezes the result. Only the entry point also reads process.env.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, createWritableFolder, readCertificates, readOrCreateSecret } from './config-files.ts'
import { isBrowserOrigin, isFrameAncestor, splitCommaList } from './domain/values/browser-origin.ts'

export { ConfigError } from './config-files.ts'

const EMBEDDINGS = ['local', 'openai', 'off'] as const
const METRICS = ['key', 'public', 'off'] as const
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

interface SettingDefinition {
  name: string
  fallback: string
  help: string
  /** Returns a description of valid values if the value is invalid. */
  validate?: (value: string) => string | undefined
}

const integerBetween = (min: number, max: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
    ? undefined
    : `a whole number from ${min} to ${max}`
const emptyOr = (fault: (value: string) => string | undefined) => (value: string) =>
  value === '' ? undefined : fault(value)
const choice = (values: readonly string[]) => (value: string) =>
  values.includes(value) ? undefined : `one of ${values.join(', ')}`
const minLength = (length: number) => (value: string) =>
  value === '' || value.length >= length ? undefined : `a text of at least ${length} characters`

const everyItem =
  (isGood: (text: string) => boolean, wanted: string, exceptions: readonly string[] = []) =>
  (value: string) => {
    const bad = exceptions.includes(value.trim()) ? undefined : splitCommaList(value).find((it) => !isGood(it))
    return bad === undefined ? undefined : `${wanted}; "${bad}" is not one`
  }

/** Lines are not trimmed, because a key may begin or end with a space. */
const splitLines = (value: string) => value.split(/\r?\n/).filter((it) => it.trim() !== '')

const isHttp = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value)

/** The message does not quote the address, because it contains a password. */
const isPostgresAddress = (value: string) =>
  value === '' || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value))
    ? undefined
    : 'an address like postgres://user:password@host:5432/database'

export const SETTINGS: readonly SettingDefinition[] = [
  { name: 'HOST', fallback: '127.0.0.1', help: 'address to listen on; 0.0.0.0 for every network' },
  {
    name: 'PORT',
    fallback: '8080',
    help: 'port to listen on; 0 for any free port',
    validate: integerBetween(0, 65_535),
  },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    help: 'address at which browsers reach the service, such as https://pharos.example.com; by default http:// with HOST and PORT',
    validate: emptyOr((value) =>
      isHttp(value) && new URL(value).origin === value.replace(/\/$/, '')
        ? undefined
        : 'an address like https://pharos.example.com',
    ),
  },
  {
    name: 'CORS_ORIGINS',
    fallback: '',
    help: 'comma-separated origins whose pages may call the API with a key, such as https://www.example.com; * for all',
    validate: everyItem(isBrowserOrigin, 'origins such as https://www.example.com, separated by commas, or * alone', [
      '*',
    ]),
  },
  {
    name: 'FRAME_ANCESTORS',
    fallback: '',
    help: 'comma-separated origins that may embed the pages in a frame: https://www.example.com, https://*.example.com, chrome-extension://id, self',
    validate: everyItem(isFrameAncestor, 'origins such as https://www.example.com, separated by commas'),
  },
  { name: 'DATA_DIR', fallback: './data', help: 'folder for all data; "pharos backup" backs it up' },
  {
    name: 'DATABASE_URL',
    fallback: '',
    help: 'postgres://… stores the record in PostgreSQL 15 or newer; by default the record is a file in DATA_DIR',
    validate: isPostgresAddress,
  },
  {
    name: 'ADMIN_API_KEY',
    fallback: '',
    help: 'administrator key, at least 20 characters; by default a generated key in DATA_DIR/admin-api-key',
    validate: minLength(20),
  },
  {
    name: 'SECRET_KEY',
    fallback: '',
    help: 'key that encrypts stored secrets, at least 20 characters; by default a generated key in DATA_DIR/secret-key',
    validate: minLength(20),
  },
  {
    name: 'METRICS',
    fallback: 'key',
    help: 'access to /metrics: key (a key with the scope metrics or an administrator key), public (everyone), off (no one)',
    validate: choice(METRICS),
  },
  {
    name: 'SECRET_KEY_PREVIOUS',
    fallback: '',
    help: 'previous values of SECRET_KEY, one per line; secrets that they encrypted stay readable and are encrypted again with SECRET_KEY',
    validate: (value) =>
      splitLines(value).every((it) => it.length >= 20) ? undefined : 'texts of at least 20 characters',
  },
  {
    name: 'MIN_FREE_DISK_MB',
    fallback: '',
    help: 'free disk space below which documents are rejected; by default 512 MB or 2 % of the disk of DATA_DIR; 0 for no limit',
    validate: emptyOr(integerBetween(0, 1_000_000_000)),
  },
  {
    name: 'MERGE_MB_PER_SECOND',
    fallback: '64',
    help: 'maximum write rate of index merges; 0 for no limit',
    validate: integerBetween(0, 1_000_000),
  },
  {
    name: 'EMBEDDING',
    fallback: 'local',
    help: 'semantic search: local (the included model), openai (an OpenAI-compatible server), off (keyword search only)',
    validate: choice(EMBEDDINGS),
  },
  {
    name: 'EMBEDDING_URL',
    fallback: '',
    help: 'for openai: address before /embeddings, such as http://localhost:11434/v1',
    validate: emptyOr((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  { name: 'EMBEDDING_KEY', fallback: '', help: 'for openai: API key of the server, if it requires one' },
  { name: 'EMBEDDING_MODEL', fallback: '', help: 'for openai: name of the model on the server' },
  {
    name: 'LLM_URL',
    fallback: '',
    help: 'address before /chat/completions of a language model, such as http://localhost:11434/v1; administrators can add other models',
    validate: emptyOr((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  { name: 'LLM_KEY', fallback: '', help: 'API key of the server, if it requires one' },
  { name: 'LLM_MODEL', fallback: '', help: 'name of the model on the server' },
  {
    name: 'LLM_MAX_INPUT_TOKENS',
    fallback: '8192',
    help: 'context window of the model in tokens, including the answer',
    validate: integerBetween(256, 100_000_000),
  },
  {
    name: 'EGRESS_ALLOW',
    fallback: '',
    help: 'comma-separated private hosts or networks that outbound requests may reach: wiki.corp, *.corp, 10.0.0.0/8, wiki.corp:8443',
  },
  {
    name: 'EGRESS_APPROVALS',
    fallback: 'on',
    help: 'whether administrators may allow more private hosts through the API: on or off',
    validate: choice(['on', 'off']),
  },
  { name: 'EGRESS_PROXY', fallback: '', help: 'proxy for outbound requests: http(s)://user:password@host:port' },
  {
    name: 'EGRESS_CA_FILE',
    fallback: '',
    help: 'PEM file of certificate authorities to trust in addition to those of the system',
  },
  {
    name: 'CONNECTOR_FOLDERS',
    fallback: '',
    help: 'comma-separated local folders that file connectors may read',
  },
  {
    name: 'CONNECTOR_PARALLEL',
    fallback: '4',
    help: 'maximum concurrent requests of connectors to one host',
    validate: integerBetween(1, 1_000),
  },
  {
    name: 'CONNECTOR_REQUESTS_PER_SECOND',
    fallback: '10',
    help: 'maximum requests per second of connectors to one host; 0 for no limit',
    validate: integerBetween(0, 100_000),
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    help: `lowest level to log: ${LOG_LEVELS.join(', ')}`,
    validate: choice(LOG_LEVELS),
  },
]

/** Settings of the command line. Unlike the others, they always carry the prefix PHAROS_. */
export const CLIENT_SETTINGS = [
  { name: 'PHAROS_URL', help: 'address of the service for commands' },
  { name: 'PHAROS_API_KEY', help: 'API key for commands' },
] as const

/** The model that turns texts into vectors. */
export type EmbeddingSettings =
  | { kind: 'local' | 'off' }
  | { kind: 'openai'; url: string; key: string | null; model: string }

/** The language model that the environment configures. */
export interface LanguageModelSettings {
  url: string
  key: string | null
  model: string
  max_input_tokens: number
}

/** The settings that a command needs to work on the data itself. Reading them creates nothing. */
export interface DataConfig {
  dataDir: string
  /** The address of PostgreSQL; null for the embedded database. */
  databaseUrl: string | null
  /** Null means the key in DATA_DIR/secret-key. */
  secretKey: string | null
  previousSecretKeys: readonly string[]
  logLevel: (typeof LOG_LEVELS)[number]
  embedding: EmbeddingSettings
  /** For tests: kills the process when it passes a named step for the nth time. */
  failpoint: string | null
}

export interface ServiceConfig extends DataConfig {
  host: string
  languageModel: LanguageModelSettings | null
  port: number
  /** Has no trailing slash; null means the address on which the service listens. */
  publicUrl: string | null
  /** See `CORS_ORIGINS`. */
  corsOrigins: readonly string[]
  /** In the syntax of a content security policy. */
  frameAncestors: readonly string[]
  adminApiKey: string
  /** The administrator key was generated at this start, and is shown once. */
  isNewAdminApiKey: boolean
  /** Null means a limit that depends on the size of the disk. */
  minFreeDiskMb: number | null
  mergeBytesPerSecond: number
  /** Local folders that connectors may read. */
  connectorFolders: readonly string[]
  /** The maximum number of concurrent requests of all connectors to one host. */
  connectorParallel: number
  connectorPerSecond: number
  egressAllow: string
  egressApprovals: 'on' | 'off'
  egressProxy: string
  /** The contents of EGRESS_CA_FILE. */
  egressCa: string | null
  /** See `METRICS`. */
  metrics: (typeof METRICS)[number]
  /** The interval of the watchdog. Tests shorten it. */
  watchdogTickMs: number
  /** For `npm run bench`: adds a route that parses a document and does nothing else. */
  isBench: boolean
}

export function readConfig(env: NodeJS.ProcessEnv): Readonly<ServiceConfig> {
  const data = readDataConfig(env)
  const value = (name: string) => readSetting(env, name)
  const dataDir = createWritableFolder(data.dataDir)
  const admin = readOrCreateSecret(value('ADMIN_API_KEY'), join(dataDir, 'admin-api-key'))
  return Object.freeze({
    ...data,
    ...readAddress(env),
    languageModel: readLanguageModel(env),
    publicUrl: value('PUBLIC_URL').replace(/\/$/, '') || null,
    corsOrigins: splitCommaList(value('CORS_ORIGINS')),
    frameAncestors: splitCommaList(value('FRAME_ANCESTORS')).map((it) => (it === 'self' ? "'self'" : it)),
    adminApiKey: admin.secret,
    isNewAdminApiKey: admin.isNew,
    minFreeDiskMb: value('MIN_FREE_DISK_MB') === '' ? null : Number(value('MIN_FREE_DISK_MB')),
    mergeBytesPerSecond: Number(value('MERGE_MB_PER_SECOND')) * 2 ** 20,
    connectorFolders: splitCommaList(value('CONNECTOR_FOLDERS')).map((it) => resolve(it)),
    connectorParallel: Number(value('CONNECTOR_PARALLEL')),
    connectorPerSecond: Number(value('CONNECTOR_REQUESTS_PER_SECOND')),
    egressAllow: value('EGRESS_ALLOW'),
    egressApprovals: value('EGRESS_APPROVALS') === 'on' ? 'on' : 'off',
    egressProxy: value('EGRESS_PROXY'),
    egressCa: readCertificates(value('EGRESS_CA_FILE')),
    metrics: value('METRICS') as ServiceConfig['metrics'],
    watchdogTickMs: Number(env.WATCHDOG_TICK_MS ?? 1_000),
    isBench: env.BENCH === '1',
  })
}

export function readDataConfig(env: NodeJS.ProcessEnv): Readonly<DataConfig> {
  rejectUnknownSettings(env)
  return Object.freeze({
    dataDir: resolve(readSetting(env, 'DATA_DIR')),
    databaseUrl: readSetting(env, 'DATABASE_URL') || null,
    secretKey: readSetting(env, 'SECRET_KEY') || null,
    previousSecretKeys: splitLines(readSetting(env, 'SECRET_KEY_PREVIOUS')),
    logLevel: readSetting(env, 'LOG_LEVEL') as ServiceConfig['logLevel'],
    embedding: readEmbedding(env),
    failpoint: env.FAILPOINT ?? null,
  })
}

function readEmbedding(env: NodeJS.ProcessEnv): EmbeddingSettings {
  const kind = readSetting(env, 'EMBEDDING') as EmbeddingSettings['kind']
  const [url, key, model] = ['EMBEDDING_URL', 'EMBEDDING_KEY', 'EMBEDDING_MODEL'].map((it) => readSetting(env, it))
  if (kind !== 'openai') return { kind }
  const missing = url === '' ? 'EMBEDDING_URL' : 'EMBEDDING_MODEL'
  if (!url || !model) throw new ConfigError(`${missing} must be set when EMBEDDING is openai.`)
  return { kind, url, key: key || null, model }
}

function readLanguageModel(env: NodeJS.ProcessEnv): LanguageModelSettings | null {
  const [url, key, model] = ['LLM_URL', 'LLM_KEY', 'LLM_MODEL'].map((it) => readSetting(env, it))
  if (!url && !model) return null
  if (!url) throw new ConfigError('LLM_URL must be set when LLM_MODEL is set.')
  if (!model) throw new ConfigError('LLM_MODEL must be set when LLM_URL is set.')
  return { url, key: key || null, model, max_input_tokens: Number(readSetting(env, 'LLM_MAX_INPUT_TOKENS')) }
}

export const readAddress = (env: NodeJS.ProcessEnv): { host: string; port: number } => ({
  host: readSetting(env, 'HOST'),
  port: Number(readSetting(env, 'PORT')),
})

/** The address and key that commands use. `ownUrl` and `ownKey` are those of the service on this machine. */
export function readClientConfig(env: NodeJS.ProcessEnv): {
  url: string | null
  key: string | null
  ownUrl: string
  ownKey: string | null
} {
  const host = readSetting(env, 'HOST')
  const name = ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const path = join(resolve(readSetting(env, 'DATA_DIR')), 'admin-api-key')
  return {
    url: env.PHAROS_URL ?? null,
    key: env.PHAROS_API_KEY ?? null,
    ownUrl: `http://${name}:${readSetting(env, 'PORT')}`,
    ownKey: readSetting(env, 'ADMIN_API_KEY') || (existsSync(path) ? readFileSync(path, 'utf8').trim() : null),
  }
}

function readSetting(env: NodeJS.ProcessEnv, name: string): string {
  const setting = SETTINGS.find((it) => it.name === name)!
  const text = env[`PHAROS_${name}`] ?? env[name] ?? setting.fallback
  const wanted = setting.validate?.(text)
  if (wanted !== undefined) throw new ConfigError(`${name} must be ${wanted}.`)
  return text
}

export function settingsHelp(): string {
  const rows = SETTINGS.map(({ name, fallback, help }) => `  ${name.padEnd(20)} ${help}${fallback && ` (${fallback})`}`)
  const ours = CLIENT_SETTINGS.map(({ name, help }) => `  ${name.padEnd(20)} ${help}`)
  return [
    'Settings are environment variables. PHAROS_PORT takes precedence over PORT, and so on.',
    ...rows,
    ...ours,
  ].join('\n')
}

/** Rejects unknown names, so that a misspelt setting is not ignored silently. */
function rejectUnknownSettings(env: NodeJS.ProcessEnv): void {
  const known = new Set([
    ...SETTINGS.map((it) => `PHAROS_${it.name}`),
    ...CLIENT_SETTINGS.map((it) => it.name as string),
  ])
  const unknown = Object.keys(env).find((it) => it.startsWith('PHAROS_') && !known.has(it))
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not a setting. "npm start -- --help" lists all settings.`)
  }
}
