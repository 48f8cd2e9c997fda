// Serves the built web pages, which are read into memory once.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

/**
 * All pages are one HTML document; the client-side router reads the path. A page may have the path of an API route: a
 * browser that navigates gets the page.
 */
export const PAGES: readonly string[] = [
  '/',
  '/sign-in',
  '/forgot-password',
  '/register',
  '/welcome',
  '/account',
  '/agents',
  '/agents/:id',
  '/sources',
  '/document',
  '/my-documents',
  '/chat',
  '/chat/:chat_session_id',
  '/projects',
  '/projects/:project_id',
  '/nrf',
  '/nrf/side-panel',
  '/admin',
  '/admin/overview',
  '/admin/connectors',
  '/admin/connector/:cc_pair_id',
  '/admin/add-connector',
  '/admin/add-connector/:id',
  '/admin/credentials',
  '/admin/ingestion',
  '/admin/documents',
  '/admin/documents/:id',
  '/admin/trash',
  '/admin/document-sets',
  '/admin/agents',
  '/admin/agents/:id',
  '/admin/screening',
  '/admin/sensitive-content',
  '/admin/stale-documents',
  '/admin/near-duplicates',
  '/admin/tools',
  '/admin/tools/:id',
  '/admin/mcp-servers',
  '/admin/mcp-servers/:id',
  '/admin/oauth-configs',
  '/admin/oauth-configs/:id',
  '/admin/analytics',
  '/admin/relevance',
  '/admin/ranking',
  '/admin/citations',
  '/admin/embedding',
  '/admin/models',
  '/admin/models/:id',
  '/admin/sign-in',
  '/admin/scim',
  '/admin/limits',
  '/admin/people',
  '/admin/groups',
  '/admin/groups/:id',
  '/admin/egress',
  '/admin/webhooks',
  '/admin/webhooks/:id',
  '/admin/secret-keys',
  '/admin/backup',
  '/admin/audit',
  '/admin/access',
  '/admin/settings',
  '/admin/about',
  '/admin/history',
  '/admin/history/:id',
  '/admin/registration',
  '/oauth-config/callback',
  '/mcp/oauth/callback',
]

/** A browser navigation, as opposed to an API client. */
export const isPageNavigation = ({ method, headers }: FastifyRequest): boolean =>
  isReadMethod(method) && acceptsHtml(headers.accept)

const isReadMethod = (method: string): boolean => method === 'GET' || method === 'HEAD'
const acceptsHtml = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? '')

export interface PanelFile {
  /** The URL path. */
  path: string
  type: string
  etag: string
  bytes: Buffer
  /** Compressed variants by content encoding. */
  compressed: ReadonlyMap<string, Buffer>
}

export interface PanelSettings {
  /** Null if the web pages were not built. */
  panel: Panel | null
  /** Origins that may frame the pages, in the syntax of `frame-ancestors`; empty: none. */
  frameAncestors: readonly string[]
}

export interface Panel {
  indexFile: PanelFile
  files: readonly PanelFile[]
}

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** In order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Reads the built pages; null if the folder has none. */
export function readPanel(folder: string): Panel | null {
  if (!existsSync(folder)) return null
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((it) => it.replaceAll('\\', '/'))
  const files = names.flatMap((name) => {
    const type = MEDIA_TYPES[extname(name)]
    return type === undefined ? [] : [readPanelFile(folder, { name, type })]
  })
  const page = files.find((it) => it.path === '/index.html')
  if (page === undefined) return null
  return { indexFile: page, files: files.filter((it) => it !== page) }
}

function readPanelFile(folder: string, { name, type }: { name: string; type: string }): PanelFile {
  const bytes = readFileSync(join(folder, name))
  const packed = ENCODINGS.flatMap(([encoding, suffix]) => {
    const path = join(folder, name + suffix)
    return existsSync(path) ? [[encoding, readFileSync(path)] as const] : []
  })
  return {
    path: `/${name}`,
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    bytes,
    compressed: new Map(packed),
  }
}

const pageHeaders = (frameAncestors: readonly string[]) => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
})

/**
 * Call it before API routes are added. Every answer at the path of a page, also that of an API route, and every answer for
 * an unknown path names `Accept` in `Vary`, so that no cache gives the page to a client or the API's answer to a browser.
 */
export function addPanelRoutes(app: FastifyInstance, { panel, frameAncestors }: PanelSettings): void {
  const headers = pageHeaders(frameAncestors)
  app.addConstraintStrategy(createHtmlConstraint())
  app.addHook('onRequest', async ({ is404, routeOptions: { url } }, reply) => {
    if (is404 || PAGES.includes(url ?? '')) reply.header('vary', 'accept')
  })
  for (const path of PAGES) {
    app.get(path, { constraints: { accepts: 'html' } }, (request, reply) => {
      if (panel === null) throw new AppError('PAGES_NOT_BUILT')
      return sendFile(panel.indexFile, request, reply.headers(headers), PAGE_VARY)
    })
  }
  for (const file of panel?.files ?? [])
    app.get(file.path, (request, reply) => sendFile(file, request, reply, 'accept-encoding'))
}

const PAGE_VARY = 'accept, accept-encoding'

/** The router prefers a page to an API route at the same path, but only for requests that accept HTML. */
function createHtmlConstraint() {
  const createStorage = <T>() => {
    const handlers = new Map<unknown, T>()
    return {
      get: (key: unknown): T | null => handlers.get(key) ?? null,
      set: (key: unknown, handler: T): void => void handlers.set(key, handler),
    }
  }
  const deriveConstraint = ({ headers }: IncomingMessage) => (acceptsHtml(headers.accept) ? 'html' : undefined)
  return { name: 'accepts', storage: createStorage<never>, deriveConstraint }
}

/** The page's own router shows "not found" for an unknown path. */
export function sendNotFoundPage(
  { panel, frameAncestors }: PanelSettings & { panel: Panel },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.code(404).headers({ ...pageHeaders(frameAncestors), vary: PAGE_VARY })
  return sendEncoded(panel.indexFile, request, reply)
}

/** File names under /assets/ contain a hash of the content. */
const cacheControlFor = ({ path }: PanelFile) =>
  path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

function sendFile(file: PanelFile, { headers }: FastifyRequest, reply: FastifyReply, vary: string): FastifyReply {
  reply.headers({ etag: file.etag, 'cache-control': cacheControlFor(file), vary })
  if (headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  return sendEncoded(file, { headers }, reply)
}

function sendEncoded(file: PanelFile, { headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): FastifyReply {
  reply.header('content-type', file.type)
  const encoding = ENCODINGS.map(([it]) => it).find(
    (it) => acceptsEncoding(headers['accept-encoding'], it) && file.compressed.has(it),
  )
  if (encoding === undefined) return reply.send(file.bytes)
  return reply.header('content-encoding', encoding).send(file.compressed.get(encoding))
}

/** RFC 9110, 12.5.3: a weight of 0 means "not acceptable". */
const acceptsEncoding = (accepted: string | string[] | undefined, encoding: string): boolean =>
  String(accepted ?? '')
    .split(',')
    .map((it) => it.trim().toLowerCase())
    .some((it) => it === encoding || (it.startsWith(`${encoding};`) && !/;\s*q=0(?:\.0*)?$/.test(it)))
