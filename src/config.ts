// Reads the environment once, validates it at start and freezes the result. Only the entry point also reads process.env.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError, createWritableFolder, readCertificates, readOrCreateSecret } from './config-files.ts'
import type { OperatorSetting } from './domain/settings.ts'
import { splitCommaList } from './domain/values/browser-origin.ts'
import { parseIpNetwork } from './domain/values/ip-network.ts'
import {
  CLIENT_SETTINGS,
  choice,
  EMBEDDINGS,
  LOG_LEVELS,
  METRICS,
  OCRS,
  OPEN_REGISTRATIONS,
  SETTINGS,
  splitLines,
} from './setting-definitions.ts'

export { ConfigError } from './config-files.ts'

/** The model that turns texts into vectors. */
export type EmbeddingSettings =
  | { kind: 'local' | 'multilingual' | 'off' }
  | { kind: 'openai'; url: string; key: string | null; model: string }

/** The language model that the environment configures. */
export interface LanguageModelSettings {
  url: string
  key: string | null
  model: string
  max_input_tokens: number
  supports_image_input: boolean
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

export interface HeaderSignInSettings {
  headers: { email: string; name: string | null; groups: string | null }
  /** Their people are created; `*` for all. */
  domains: readonly string[]
}

/** The mail server of the operator. */
export interface MailServerSettings {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'loopback'
  user: string | null
  password: string | null
  from: string
  publicUrl: string
}

export interface ServiceConfig extends DataConfig {
  host: string
  languageModel: LanguageModelSettings | null
  port: number
  /** Has no trailing slash; null means the address on which the service listens. */
  publicUrl: string | null
  /** See `TRUSTED_PROXIES`. */
  trustedProxies: readonly string[]
  /** See `SIGN_IN_HEADER_EMAIL`. Names and domains are in lower case. */
  headerSignIn: HeaderSignInSettings | null
  /** See `CORS_ORIGINS`. */
  corsOrigins: readonly string[]
  /** In the syntax of a content security policy. */
  frameAncestors: readonly string[]
  /** See `SESSION_MAX_HOURS` and `SESSION_IDLE_HOURS`. */
  sessionLifetimes: { maxMs: number; idleMs: number }
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
  /** See `SMTP_URL`. */
  mail: MailServerSettings | null
  /** See `OPEN_REGISTRATION`. */
  openRegistration: (typeof OPEN_REGISTRATIONS)[number]
  /** See `METRICS`. */
  metrics: (typeof METRICS)[number]
  /** See `OCR`. */
  isOcrOn: boolean
  /** The interval of the watchdog. Tests shorten it. */
  watchdogTickMs: number
  /** The settings of the environment without secrets, for administrators to read. */
  operatorSettings: readonly OperatorSetting[]
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
    trustedProxies: splitCommaList(value('TRUSTED_PROXIES')),
    headerSignIn: readHeaderSignIn(env),
    corsOrigins: splitCommaList(value('CORS_ORIGINS')),
    frameAncestors: splitCommaList(value('FRAME_ANCESTORS')).map((it) => (it === 'self' ? "'self'" : it)),
    sessionLifetimes: readSessionLifetimes(env),
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
    mail: readMailServer(env),
    openRegistration: readChoice(env, 'OPEN_REGISTRATION', OPEN_REGISTRATIONS),
    metrics: readChoice(env, 'METRICS', METRICS),
    isOcrOn: readChoice(env, 'OCR', OCRS) === 'on',
    watchdogTickMs: Number(env.WATCHDOG_TICK_MS ?? 1_000),
    operatorSettings: SETTINGS.map((it) => operatorSetting(env, it)),
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
    logLevel: readChoice(env, 'LOG_LEVEL', LOG_LEVELS),
    embedding: readEmbedding(env),
    failpoint: env.FAILPOINT ?? null,
  })
}

function readEmbedding(env: NodeJS.ProcessEnv): EmbeddingSettings {
  const kind = readChoice(env, 'EMBEDDING', EMBEDDINGS)
  const [url, key, model] = ['EMBEDDING_URL', 'EMBEDDING_KEY', 'EMBEDDING_MODEL'].map((it) => readSetting(env, it))
  if (kind !== 'openai') return { kind }
  const missing = url === '' ? 'EMBEDDING_URL' : 'EMBEDDING_MODEL'
  if (!url || !model) throw new ConfigError(`${missing} must be set when EMBEDDING is openai.`)
  return { kind, url, key: key || null, model }
}

/** Names of this machine: nobody else can read what is sent to them. */
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/

function readMailServer(env: NodeJS.ProcessEnv): MailServerSettings | null {
  const [text = '', from = '', publicUrl = ''] = ['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'].map((it) =>
    readSetting(env, it),
  )
  if (text === '') {
    if (from !== '') throw new ConfigError('SMTP_URL must be set when MAIL_FROM is set.')
    return null
  }
  // Links in mails must not begin with what a request claims.
  const missing = from === '' ? 'MAIL_FROM' : publicUrl === '' ? 'PUBLIC_URL' : null
  if (missing !== null) throw new ConfigError(`${missing} must be set when SMTP_URL is set.`)
  const { protocol, hostname, port, username, password } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isTls = protocol === 'smtps:'
  return {
    host,
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    security: isTls ? 'tls' : LOOPBACK.test(host) ? 'loopback' : 'starttls',
    user: username === '' ? null : decodeURIComponent(username),
    password: password === '' ? null : decodeURIComponent(password),
    from,
    publicUrl: publicUrl.replace(/\/$/, ''),
  }
}

function readLanguageModel(env: NodeJS.ProcessEnv): LanguageModelSettings | null {
  const [url, key, model] = ['LLM_URL', 'LLM_KEY', 'LLM_MODEL'].map((it) => readSetting(env, it))
  if (!url && !model) return null
  if (!url) throw new ConfigError('LLM_URL must be set when LLM_MODEL is set.')
  if (!model) throw new ConfigError('LLM_MODEL must be set when LLM_URL is set.')
  return {
    ...{ url, key: key || null, model },
    max_input_tokens: Number(readSetting(env, 'LLM_MAX_INPUT_TOKENS')),
    supports_image_input: readSetting(env, 'LLM_PICTURES') === 'on',
  }
}

function readHeaderSignIn(env: NodeJS.ProcessEnv): HeaderSignInSettings | null {
  const [email = '', name, groups, domains = ''] = ['EMAIL', 'NAME', 'GROUPS', 'DOMAINS'].map((it) =>
    readSetting(env, `SIGN_IN_HEADER_${it}`).toLowerCase(),
  )
  if (email === '') {
    if (name || groups || domains)
      throw new ConfigError('SIGN_IN_HEADER_EMAIL must be set with the other SIGN_IN_HEADER settings.')
    return null
  }
  const proxies = splitCommaList(readSetting(env, 'TRUSTED_PROXIES'))
  if (proxies.length === 0) throw new ConfigError('TRUSTED_PROXIES must be set when SIGN_IN_HEADER_EMAIL is set.')
  if (proxies.some((it) => parseIpNetwork(it)?.prefixLength === 0)) {
    throw new ConfigError('TRUSTED_PROXIES must not name every address when SIGN_IN_HEADER_EMAIL is set.')
  }
  const names = [email, name, groups].filter(Boolean)
  if (new Set(names).size < names.length) throw new ConfigError('SIGN_IN_HEADER_EMAIL, _NAME and _GROUPS must differ.')
  return { headers: { email, name: name || null, groups: groups || null }, domains: splitCommaList(domains) }
}

const HOUR_MS = 3_600_000
const DEFAULT_IDLE_HOURS = 168

function readSessionLifetimes(env: NodeJS.ProcessEnv): ServiceConfig['sessionLifetimes'] {
  const maxHours = Number(readSetting(env, 'SESSION_MAX_HOURS'))
  const idleHours = Number(readSetting(env, 'SESSION_IDLE_HOURS') || Math.min(DEFAULT_IDLE_HOURS, maxHours))
  if (idleHours > maxHours) {
    throw new ConfigError(`SESSION_IDLE_HOURS must be at most SESSION_MAX_HOURS, which is ${maxHours}.`)
  }
  return { maxMs: maxHours * HOUR_MS, idleMs: idleHours * HOUR_MS }
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

function readChoice<T extends string>(env: NodeJS.ProcessEnv, name: string, choices: readonly T[]): T {
  const text = readSetting(env, name)
  const chosen = choices.find((it) => it === text)
  if (chosen === undefined) throw new ConfigError(`${name} must be ${choice(choices)(text)}.`)
  return chosen
}

/** The name of one of the settings above. */
function readSetting(env: NodeJS.ProcessEnv, name: string): string {
  const setting = SETTINGS.find((it) => it.name === name)!
  const text = env[`PHAROS_${name}`] ?? env[name] ?? setting.fallback
  const wanted = setting.validate?.(text)
  if (wanted !== undefined) throw new ConfigError(`${name} must be ${wanted}.`)
  return text
}

function operatorSetting(
  env: NodeJS.ProcessEnv,
  { name, fallback, computedFallback, isSecret }: (typeof SETTINGS)[number],
): OperatorSetting {
  const text = readSetting(env, name)
  const is_set = text !== fallback
  return {
    ...{ name, is_set, is_secret: isSecret === true },
    value: isSecret || text === '' ? null : withoutCredentials(text),
    default_value: fallback || computedFallback?.replaceAll('`', '') || null,
  }
}

/** Addresses of servers may carry a password before the host, and a key after the question mark. */
const withoutCredentials = (text: string): string => text.replace(/\/\/[^/@]*@/g, '//').replace(/\?.*$/s, '')

/** Rejects unknown names, so that a misspelt setting is not ignored silently. */
function rejectUnknownSettings(env: NodeJS.ProcessEnv): void {
  const known = new Set<string>([...SETTINGS.map((it) => `PHAROS_${it.name}`), ...CLIENT_SETTINGS.map((it) => it.name)])
  const unknown = Object.keys(env).find((it) => it.startsWith('PHAROS_') && !known.has(it))
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not a setting. "npm start -- --help" lists all settings.`)
  }
}
