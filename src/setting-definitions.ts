// Which settings does the environment have? `--help` and docs/settings.md are written from this table.
import { isBrowserOrigin, isFrameAncestor, splitCommaList } from './domain/values/browser-origin.ts'
import { parseIpNetwork } from './domain/values/ip-network.ts'
import { isMailAddress } from './domain/values/mail-address.ts'

export const EMBEDDINGS = ['local', 'multilingual', 'openai', 'off'] as const
export const OPEN_REGISTRATIONS = ['off', 'first'] as const
export const OCRS = ['on', 'off'] as const
export const METRICS = ['key', 'public', 'off'] as const
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

interface SettingDefinition {
  name: string
  fallback: string
  /** Describes a fallback that depends on the machine or is made at the first start. */
  computedFallback?: string
  /** Backticks enclose what a reader types; `--help` leaves them out. */
  help: string
  /** A sentence that stands in docs/settings.md only. */
  details?: string
  /** The value is a secret, or may hold one: nobody reads it back. */
  isSecret?: true
  /** Returns a description of valid values if the value is invalid. */
  validate?: (value: string) => string | undefined
}

const integerBetween = (min: number, max: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
    ? undefined
    : `a whole number from ${min} to ${max}`
const emptyOr = (fault: (value: string) => string | undefined) => (value: string) =>
  value === '' ? undefined : fault(value)
export const choice = (values: readonly string[]) => (value: string) =>
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
export const splitLines = (value: string) => value.split(/\r?\n/).filter((it) => it.trim() !== '')

const isHttp = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value)

/** The message does not quote the address, because it contains a password. */
const isPostgresAddress = (value: string) =>
  value === '' || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value))
    ? undefined
    : 'an address like postgres://user:password@host:5432/database'

/** Headers that mean something else already. */
const RESERVED_HEADERS =
  /^(?:accept|access-control|content|sec|x-forwarded-(?:for|host|proto)$|x-onyx-authorization$|x-request-id$|x-requested-with$)/
const RESERVED_NAMES = ['authorization', 'connection', 'cookie', 'expect', 'host', 'origin', 'referer', 'user-agent']

const identityHeader = (value: string) =>
  /^[a-z0-9-]{1,100}$/i.test(value) &&
  !RESERVED_HEADERS.test(value.toLowerCase()) &&
  !RESERVED_NAMES.includes(value.toLowerCase())
    ? undefined
    : 'the name of a header that has no other meaning, such as X-Forwarded-Email'

const MAX_SESSION_HOURS = 8_760

/** The message does not quote the address, because it contains a password. */
function isMailServer(value: string): string | undefined {
  const wanted = 'an address like smtp://user:password@mail.example.com:587, with special characters percent-encoded'
  if (value === '') return undefined
  const url = URL.parse(value)
  const isGood =
    url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  return isGood && url.search === '' && url.hash === '' && isDecodable(url) ? undefined : wanted
}

function isDecodable({ username, password }: URL): boolean {
  try {
    return !decodeURIComponent(username + password).includes('\u0000')
  } catch {
    return false
  }
}

export const SETTINGS: readonly SettingDefinition[] = [
  { name: 'HOST', fallback: '127.0.0.1', help: 'address to listen on; 0.0.0.0 for every network' },
  {
    name: 'PORT',
    fallback: '8080',
    help: 'port to listen on; 0 for any free port',
    validate: integerBetween(0, 65_535),
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    isSecret: true,
    help: '`postgres://user:password@host/database` stores the record in PostgreSQL 15 or newer; by default the record is a file in `DATA_DIR`',
    validate: isPostgresAddress,
  },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    help: 'address at which browsers reach the service, such as `https://pharos.example.com`; by default `http://` with `HOST` and `PORT`',
    validate: emptyOr((value) =>
      isHttp(value) && new URL(value).origin === value.replace(/\/$/, '')
        ? undefined
        : 'an address like https://pharos.example.com',
    ),
  },
  {
    name: 'TRUSTED_PROXIES',
    fallback: '',
    help: 'comma-separated addresses and networks of reverse proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` count: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`; by default no one',
    validate: everyItem(
      (it) => parseIpNetwork(it) !== null,
      'addresses and networks such as 127.0.0.1 and 10.0.0.0/8, separated by commas',
    ),
  },
  {
    name: 'SIGN_IN_HEADER_EMAIL',
    fallback: '',
    help: 'header in which a proxy of `TRUSTED_PROXIES` names the person who has signed in, such as `X-Forwarded-Email`; see docs/proxy-sign-in.md',
    validate: emptyOr(identityHeader),
  },
  {
    name: 'SIGN_IN_HEADER_NAME',
    fallback: '',
    help: 'header of the same proxy with the name of the person',
    validate: emptyOr(identityHeader),
  },
  {
    name: 'SIGN_IN_HEADER_GROUPS',
    fallback: '',
    help: 'header of the same proxy with the groups of the person, separated by commas',
    validate: emptyOr(identityHeader),
  },
  {
    name: 'SIGN_IN_HEADER_DOMAINS',
    fallback: '',
    help: 'comma-separated domains of e-mail addresses whose people the first sign-in by header creates; `*` for all; by default it creates no one',
    validate: everyItem(
      (it) => /^[a-z0-9.-]{1,253}$/i.test(it),
      'domains such as example.com, separated by commas, or * alone',
      ['*'],
    ),
  },
  {
    name: 'CORS_ORIGINS',
    fallback: '',
    help: 'comma-separated origins whose pages may call the API from a browser with a key, such as `https://www.example.com`; `*` for all',
    details: 'The session cookie is never accepted from another origin',
    validate: everyItem(isBrowserOrigin, 'origins such as https://www.example.com, separated by commas, or * alone', [
      '*',
    ]),
  },
  {
    name: 'FRAME_ANCESTORS',
    fallback: '',
    help: 'comma-separated origins that may embed the pages in a frame: `https://www.example.com`, `https://*.example.com`, `chrome-extension://<id>`, `self`',
    validate: everyItem(isFrameAncestor, 'origins such as https://www.example.com, separated by commas'),
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    help: 'folder for all data; one process at a time; `pharos backup` backs it up',
  },
  {
    name: 'ADMIN_API_KEY',
    fallback: '',
    isSecret: true,
    computedFallback: 'made at the first start, in `DATA_DIR/admin-api-key`',
    help: 'administrator key, at least 20 characters',
    validate: minLength(20),
  },
  {
    name: 'SECRET_KEY',
    fallback: '',
    isSecret: true,
    computedFallback: 'made at the first start, in `DATA_DIR/secret-key`',
    help: 'key that encrypts stored secrets, at least 20 characters',
    validate: minLength(20),
  },
  {
    name: 'SECRET_KEY_PREVIOUS',
    fallback: '',
    isSecret: true,
    help: 'previous values of `SECRET_KEY`, one per line; secrets that they encrypted stay readable and are encrypted again with `SECRET_KEY`',
    validate: (value) =>
      splitLines(value).every((it) => it.length >= 20) ? undefined : 'texts of at least 20 characters',
  },
  {
    name: 'SESSION_MAX_HOURS',
    fallback: '720',
    help: 'hours after which a person must sign in again, however often the session is used; at most a year',
    details: 'A changed value holds for sessions that are open, too',
    validate: integerBetween(1, MAX_SESSION_HOURS),
  },
  {
    name: 'SESSION_IDLE_HOURS',
    fallback: '',
    computedFallback: '168, or `SESSION_MAX_HOURS` if that is less',
    help: 'hours without use after which a session ends; at most `SESSION_MAX_HOURS`',
    validate: emptyOr(integerBetween(1, MAX_SESSION_HOURS)),
  },
  {
    name: 'MIN_FREE_DISK_MB',
    fallback: '',
    computedFallback: '512 MB or 2 % of the disk, whichever is less',
    help: 'free disk space in `DATA_DIR` below which documents and files are rejected with 503, until a quarter more is free; 0 for no limit',
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
    help: 'semantic search: `local` (a model of 23 MB for English that comes with the program), `multilingual` (a model of 61 MB, which `pharos model add multilingual` fetches), `openai` (any server with a compatible `/embeddings`), `off` (keyword search only)',
    details: 'Embeddings are computed in the background; keyword search works at once',
  },
  {
    name: 'EMBEDDING_URL',
    fallback: '',
    help: 'for `openai`: address before `/embeddings`, such as `http://localhost:11434/v1`; the texts of all documents are sent there',
    validate: emptyOr((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  {
    name: 'EMBEDDING_KEY',
    fallback: '',
    isSecret: true,
    help: 'for `openai`: API key of the server, if it requires one',
  },
  { name: 'EMBEDDING_MODEL', fallback: '', help: 'for `openai`: name of the model on the server' },
  {
    name: 'OCR',
    fallback: 'on',
    help: 'text recognition in pictures and scanned pages: `on` (in the background, with a model that comes with the program), `off`',
    details:
      'It reads Latin letters, Chinese and Japanese. Pictures that come while it is off are read when it is on again',
  },
  {
    name: 'LLM_URL',
    fallback: '',
    help: 'address before `/chat/completions` of a language model that answers chats, such as `http://localhost:11434/v1`; questions and the passages found for them are sent there',
    details:
      'Administrators can add other models (`PUT /admin/llm/provider`). Without a model here and without such a provider, answers are quotes',
    validate: emptyOr((value) => (isHttp(value) ? undefined : 'an address like https://models.example.com/v1')),
  },
  { name: 'LLM_KEY', fallback: '', isSecret: true, help: 'API key of the server, if it requires one' },
  { name: 'LLM_MODEL', fallback: '', help: 'name of the model on the server' },
  {
    name: 'LLM_MAX_INPUT_TOKENS',
    fallback: '8192',
    help: 'context window of the model in tokens, including the answer',
    validate: integerBetween(256, 100_000_000),
  },
  {
    name: 'LLM_PICTURES',
    fallback: 'off',
    help: 'whether the model reads pictures: on or off; with on, pictures of chats are sent to it',
    validate: choice(['on', 'off']),
  },
  {
    name: 'EGRESS_ALLOW',
    fallback: '',
    help: 'comma-separated private hosts or networks that outbound requests may reach: `wiki.corp`, `*.corp`, `10.0.0.0/8`, `wiki.corp:8443`',
  },
  {
    name: 'EGRESS_APPROVALS',
    fallback: 'on',
    help: 'whether administrators may allow more private hosts with `POST /admin/egress/approval`: on or off; with off, only `EGRESS_ALLOW` counts',
    validate: choice(['on', 'off']),
  },
  {
    name: 'EGRESS_PROXY',
    fallback: '',
    isSecret: true,
    help: 'proxy for outbound requests: `http(s)://user:password@host:port`',
  },
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
    name: 'SMTP_URL',
    fallback: '',
    isSecret: true,
    help: 'mail server for invitations and forgotten passwords: `smtp://user:password@host:587` (STARTTLS is required, except on this machine) or `smtps://user:password@host:465`; needs `MAIL_FROM` and `PUBLIC_URL`',
    details:
      'The certificate of the server must be valid; `NODE_EXTRA_CA_CERTS` names a PEM file of further authorities. Without a mail server, administrators get the links to pass on',
    validate: isMailServer,
  },
  {
    name: 'MAIL_FROM',
    fallback: '',
    help: 'address of the sender of mails, such as `pharos@example.com`',
    validate: (value) => (value === '' || isMailAddress(value) ? undefined : 'an address like pharos@example.com'),
  },
  {
    name: 'OPEN_REGISTRATION',
    fallback: 'off',
    help: '`first`: the first person who registers, without a link, becomes administrator: for test installations; `off`: nobody registers without a link',
    validate: choice(OPEN_REGISTRATIONS),
  },
  {
    name: 'METRICS',
    fallback: 'key',
    help: 'access to `/metrics`: `key` (a key with the scope `metrics` or an administrator key), `public` (everyone), `off` (no one)',
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    help: `lowest level to log: ${LOG_LEVELS.join(', ')}`,
  },
]

/** Settings of the command line. Unlike the others, they always carry the prefix PHAROS_. */
export const CLIENT_SETTINGS = [
  { name: 'PHAROS_URL', help: 'address of the service for commands' },
  { name: 'PHAROS_API_KEY', help: 'API key for commands' },
] as const

export function settingsHelp(): string {
  const rows = SETTINGS.map(({ name, fallback, computedFallback, help }) => {
    const value = fallback || computedFallback
    return `  ${name.padEnd(20)} ${help}${value ? ` (${value})` : ''}`
  })
  const ours = CLIENT_SETTINGS.map(({ name, help }) => `  ${name.padEnd(20)} ${help}`)
  return ['Settings are environment variables. PHAROS_PORT takes precedence over PORT, and so on.', ...rows, ...ours]
    .join('\n')
    .replaceAll('`', '')
}
