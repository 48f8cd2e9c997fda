// The pages for people: built files, read once, sent as they are.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'

/** All of them are one document, which looks at the address itself. */
const PAGES: readonly string[] = [
  '/',
  '/sign-in',
  '/chat',
  '/chat/:chat_session_id',
  '/admin/connectors',
  '/admin/connector/:cc_pair_id',
  '/admin/ingestion',
  '/oauth-config/callback',
  '/mcp/oauth/callback',
]

/** A page is for people: for a program there is only what the interface has at the same address. */
export const isProgramAtPage = ({ method, routeOptions: { url = '' }, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && PAGES.includes(url) && !/\btext\/html\b/.test(headers.accept ?? '')

export interface PanelFile {
  /** As the address has it. */
  path: string
  type: string
  etag: string
  bytes: Buffer
  /** By encoding, where it is smaller. */
  packed: ReadonlyMap<string, Buffer>
}

export interface Panel {
  page: PanelFile
  files: readonly PanelFile[]
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** What lies in that folder; null where the pages were not built. */
export function readPanel(folder: string): Panel | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'))
  const files = names.filter((it) => TYPES[extname(it)] !== undefined).map((it) => fileAt(folder, it))
  const page = files.find((it) => it.path === '/index.html')!
  return { page, files: files.filter((it) => it !== page) }
}

function fileAt(folder: string, name: string): PanelFile {
  const bytes = readFileSync(join(folder, name))
  const packed = ENCODINGS.flatMap(([encoding, suffix]) => {
    const path = join(folder, name + suffix)
    return existsSync(path) ? [[encoding, readFileSync(path)] as const] : []
  })
  return {
    path: `/${name}`,
    type: TYPES[extname(name)]!,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    bytes,
    packed: new Map(packed),
  }
}

const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
}

/** Whoever adds it sees to it that no program comes here. */
export function addPanel(app: FastifyInstance, panel: Panel | null): void {
  for (const path of PAGES) {
    app.get(path, (request, reply) => {
      if (panel === null) throw new AppError('PAGES_NOT_BUILT')
      return send(panel.page, request, reply.headers(PAGE_HEADERS))
    })
  }
  for (const file of panel?.files ?? []) app.get(file.path, (request, reply) => send(file, request, reply))
}

/** The name of a file under /assets/ changes with what is in it. */
const cacheOf = ({ path }: PanelFile) =>
  path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

function send(file: PanelFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag: file.etag, 'cache-control': cacheOf(file), vary: 'accept-encoding' })
  if (headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  reply.header('content-type', file.type)
  const encoding = ENCODINGS.map(([it]) => it).find(
    (it) => takes(headers['accept-encoding'], it) && file.packed.has(it),
  )
  if (encoding === undefined) return reply.send(file.bytes)
  return reply.header('content-encoding', encoding).send(file.packed.get(encoding))
}

/** RFC 9110, 12.5.3; a weight of 0 is a no. */
const takes = (accepted: string | string[] | undefined, encoding: string): boolean =>
  String(accepted ?? '')
    .split(',')
    .map((it) => it.trim().toLowerCase())
    .some((it) => it === encoding || (it.startsWith(`${encoding};`) && !/;\s*q=0(?:\.0*)?$/.test(it)))
