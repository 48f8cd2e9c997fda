// The HTTP server: accepts requests, calls route handlers, and turns results and errors into responses.
import type { Socket } from 'node:net'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { textBefore } from '../domain/values/text-before.ts'
import { authenticate, checkAccessPolicy } from './admission/authenticate.ts'
import {
  type BrowserReader,
  CookieResponse,
  createBrowserReader,
  type OriginSettings,
} from './admission/browser-context.ts'
import { addCors } from './admission/cors.ts'
import { countRequest } from './admission/count-request.ts'
import { checkHeaders } from './admission/header-limits.ts'
import type { ConnectionLimiter } from './admission/limit-connections.ts'
import {
  createProxyIdentityReader,
  type IdentityHeaders,
  type ProxyIdentityReader,
} from './admission/proxy-identity.ts'
import { acquirePermit, createRequestPools, type RequestPools } from './admission/request-pools.ts'
import { type AdmittedRequest, createCall } from './http/create-call.ts'
import { DownloadResponse, sendDownload } from './http/download.ts'
import { payloadTooLarge, sendClientError, sendError } from './http/error-response.ts'
import { LineStreamResponse, sendLineStream } from './http/line-stream.ts'
import { OriginalResponse, sendOriginal } from './http/original.ts'
import { addPanelRoutes, isPageNavigation, type PanelSettings, sendNotFoundPage } from './http/panel.ts'
import { readRequestId } from './http/request-id.ts'
import { createRequestLog, type RequestLog, routerPath } from './http/request-log.ts'
import { whenClosed } from './http/when-closed.ts'
import { auditRefusal, withAudit } from './http/with-audit.ts'
import { handleNdjson } from './ndjson/handle-ndjson.ts'
import { type AnyRoute, MAX_FORM_TEXT_LENGTH, type NdjsonRoute } from './route.ts'
import type { ServiceName, Services } from './services.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    params?: z.ZodType
    pageOnError?: { query: z.ZodType; pageOf: (query: unknown) => string }
  }
}

export interface ServerSettings extends PanelSettings {
  bodyLimitBytes: number
  uploadLimitBytes: number
  /** Folder for responses that clients read more slowly than they are written. */
  spoolDir: string
  /** Origins whose pages may call the API; see `CORS_ORIGINS`. */
  corsOrigins: readonly string[]
  origins: OriginSettings
  /** See `SIGN_IN_HEADER_EMAIL`; null if nobody signs in with headers. */
  identityHeaders: IdentityHeaders | null
  connections: ConnectionLimiter
}

const REQUEST_TIMEOUT_MS = 60_000
const HEADERS_TIMEOUT_MS = 10_000
/** Includes the URL, which `maxHeaderSize` counts too. `header-limits.ts` limits the headers alone. */
const MAX_HEAD_BYTES = 65_536
/** Interval of the timeout checks. With Node's default of 30 s an unfinished header would stay open that long. */
const CONNECTIONS_CHECK_MS = 5_000
const MAX_UPLOADED_FILES = 1_000
const MAX_UPLOAD_BODY = 8 * 2 ** 30

/** All paths of a route: clients of the existing server use all four prefixes. */
export function pathAliases(path: string): string[] {
  const own = path.startsWith('/service-api/') ? [path, path.replace('/service-api/', '/onyx-api/')] : [path]
  return own.flatMap((it) => [it, `/api${it}`])
}

/** Routes validate with zod, so no JSON Schema is compiled, and the packages for that are not loaded. */
const refuseSchema = () => () => {
  throw new TypeError('A route of Fastify has a JSON Schema. Routes validate with zod.')
}
const NO_SCHEMA_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

export async function createServer(
  services: Services,
  routes: readonly AnyRoute[],
  settings: ServerSettings,
): Promise<FastifyInstance> {
  /** Connections with a request that has no request timeout but its own idle timeout. */
  const longLived = new WeakSet<Socket>()
  const app = Fastify({
    logger: false,
    schemaController: { compilersFactory: NO_SCHEMA_COMPILERS },
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
    },
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    return503OnClosing: false,
    genReqId: ({ headers }) => readRequestId(headers),
    frameworkErrors: (error, request, reply) =>
      sendError(error, request, reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id }), services),
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !longLived.has(socket)) sendClientError(error, socket)
    },
  })
  // Fastify hands over raw bytes; each route checks the content type itself.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => sendErrorOrPage(error, request, reply, services))
  handleExpectContinue(app)
  const closing = refuseDuringShutdown(app)
  const browsers = createBrowserReader(settings.origins)
  const proxyIdentities = createProxyIdentityReader({
    headers: settings.identityHeaders,
    trustedProxies: settings.origins.trustedProxies,
    isOwnOrigin: browsers.isOwnOrigin,
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id })
    proxyIdentities.take(request.raw)
    checkHeaders(request.raw)
  })
  refuseExcessConnections(app, settings.connections)
  addCors(app, { origins: settings.corsOrigins, isOwnOrigin: browsers.isOwnOrigin })
  rejectUnknownPaths(app, routes, settings)
  addPanelRoutes(app, settings)
  const deps = {
    services,
    browsers,
    proxyIdentities,
    requestLog: createRequestLog(app, routes, pathAliases, services),
    pools: createRequestPools(),
  }
  for (const it of routes) if (it.upload === undefined && it.lines === undefined) addRoute(app, deps, it)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    const ndjsonDeps = { spoolDir: settings.spoolDir, closing, longLived }
    for (const it of routes) if (it.lines !== undefined) addNdjsonRoute(scope, { ...deps, ...ndjsonDeps }, it)
  })
  await app.register(async (scope) => {
    await scope.register(multipart, {
      limits: {
        fileSize: settings.uploadLimitBytes,
        files: MAX_UPLOADED_FILES,
        fieldSize: MAX_FORM_TEXT_LENGTH,
        fields: 100,
      },
      throwFileSizeLimit: false,
    })
    for (const it of routes) if (it.upload !== undefined) addRoute(scope, deps, it)
  })
  return app
}

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

interface RouteDeps {
  services: Services
  browsers: BrowserReader
  proxyIdentities: ProxyIdentityReader
  requestLog: RequestLog
  pools: RequestPools
}

/** Authenticates the request and checks access policy and capacity. Undefined for public routes. */
async function admitRequest(
  { services, requestLog, ...readers }: RouteDeps,
  it: AnyRoute,
  request: FastifyRequest,
): Promise<Subject | undefined> {
  if (it.access === 'public') return
  const subject = await authenticate(services, readers, request.raw, request.id).catch((error: unknown) => {
    if (it.access === 'scim') services.scimTokens.refuse(readers.browsers.read(request.raw).address)
    throw error
  })
  requestLog.setSubject(request, subject)
  try {
    checkAccessPolicy(it, subject)
  } catch (error) {
    await auditRefusal(it, services, request, { subject, error })
    throw error
  }
  it.checkCapacity?.(servicesOf(it, services))
  return subject
}

type BufferedRoute = Exclude<AnyRoute, NdjsonRoute>

/** Handlers of public routes never read the subject; all other routes have one. */
const ANONYMOUS = {} as AdmittedRequest

function addRoute(app: FastifyInstance, deps: RouteDeps, it: BufferedRoute): void {
  const { pools, browsers } = deps
  const services = servicesOf(it, deps.services)
  if (it.access === undefined) throw new Error(`${it.method} ${it.path} has no access policy`)
  const admitted = new WeakMap<FastifyRequest, AdmittedRequest>()
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (Object.values(request.params ?? {}).includes('')) throw new AppError('NOT_FOUND')
    const subject = await admitRequest(deps, it, request)
    if (subject === undefined) return
    // The client has gone meanwhile. Its request must not use what is limited.
    if (reply.raw.closed) return void reply.hijack()
    countRequest(deps.services, it, subject, reply)
    const permit = it.pool === undefined ? undefined : await acquirePermit(pools[it.pool], subject, reply)
    admitted.set(request, permit === undefined ? { subject } : { subject, permit })
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const call = createCall(it, { services, browsers }, request, reply, admitted.get(request) ?? ANONYMOUS)
    const answer = await withAudit(it, deps.services, call, () => it.handle(call))
    if (reply.sent) return reply
    if (answer instanceof CookieResponse) {
      return sendJson(it, reply.header('set-cookie', [...answer.cookies]), answer.body)
    }
    if (answer instanceof LineStreamResponse) return sendLineStream(request, reply, answer)
    if (answer instanceof Response) return reply.send(answer)
    if (answer instanceof DownloadResponse) return sendDownload(deps.services, request, reply, answer)
    if (answer instanceof OriginalResponse) return sendOriginal(deps.services, request, reply, answer)
    if (it.mediaType !== undefined) {
      return reply.header('content-security-policy', PAGE_POLICY).type(it.mediaType).send(answer)
    }
    return sendJson(it, reply, answer)
  }
  const config = routeConfig(it)
  for (const address of pathAliases(it.path)) {
    app.route({
      method: it.method,
      url: routerPath(address),
      config,
      onRequest,
      handler,
      ...(it.bodyLimitBytes !== undefined && { bodyLimit: it.bodyLimitBytes }),
      ...(it.upload && { bodyLimit: MAX_UPLOAD_BODY }),
    })
  }
}

function sendJson({ status = 200 }: BufferedRoute, reply: FastifyReply, body: unknown): FastifyReply {
  reply.code(status)
  return status === 204
    ? reply.send()
    : reply.header('content-type', 'application/json').send(JSON.stringify(body ?? null))
}

/** The services that the route names. */
function servicesOf({ services: names = [] }: { services?: readonly ServiceName[] }, services: Services): object {
  return Object.fromEntries(names.map((name) => [name, services[name]]))
}

const routeConfig = ({ params, query, lines, ...it }: AnyRoute) => ({
  ...(params !== undefined && { params }),
  ...(lines === undefined && query && 'pageOnError' in it && { pageOnError: { query, pageOf: it.pageOnError } }),
})

function sendErrorOrPage(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): FastifyReply {
  const page = pageOnError(request)
  return page === null ? sendError(error, request, reply, services) : reply.redirect(page, 303)
}

/** Null for clients, and where the route has no such page or the query names none. */
function pageOnError(request: FastifyRequest): string | null {
  const { pageOnError: rule } = request.routeOptions.config
  const query = rule === undefined || !isPageNavigation(request) ? undefined : rule.query.safeParse(request.query)
  return rule === undefined || query?.success !== true ? null : rule.pageOf(query.data)
}

interface NdjsonRouteDeps extends RouteDeps {
  spoolDir: string
  closing: AbortSignal
  longLived: WeakSet<Socket>
}

function addNdjsonRoute(app: FastifyInstance, deps: NdjsonRouteDeps, it: NdjsonRoute): void {
  const authorize = async (request: FastifyRequest) => {
    const subject = await admitRequest(deps, it, request)
    if (subject === undefined) throw new Error(`${it.path} is an NDJSON route and cannot be public`)
    return subject
  }
  const services = servicesOf(it, deps.services)
  const { logger } = deps.services
  const subjects = new WeakMap<FastifyRequest, Subject>()
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const subject = await authorize(request)
    if (reply.raw.closed) return void reply.hijack()
    countRequest(deps.services, it, subject, reply)
    subjects.set(request, subject)
  }
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    deps.longLived.add(request.raw.socket)
    whenClosed(reply, () => deps.longLived.delete(request.raw.socket))
    // `onRequest` has stored the subject.
    return handleNdjson(it, { ...deps, services, logger, authorize }, request, reply, subjects.get(request)!)
  }
  const config = routeConfig(it)
  for (const url of pathAliases(it.path)) {
    app.route({ method: it.method, url, config, onRequest, handler, bodyLimit: Number.MAX_SAFE_INTEGER })
  }
}

/**
 * Answers unknown paths with 404 (browsers get a page) and unknown methods with 405, before the body is read. A literal
 * path never matches a parameter: DELETE `/user/pats/scopes` is 405 although `/user/pats/{token_id}` has DELETE.
 */
function rejectUnknownPaths(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  { panel, ...rest }: PanelSettings,
): void {
  const methodsByExactPath = methodsByPath(routes)
  const templates = [...methodsByExactPath].map(([address, methods]) => ({ segments: address.split('/'), methods }))
  app.addHook('onRequest', async (request, reply) => {
    const path = textBefore(request.url, '?')
    const fixed = methodsByExactPath.get(path)
    const isUnserved = request.is404 || (fixed !== undefined && isShadowed(request))
    if (!isUnserved) return
    const methods = fixed ?? templates.filter((it) => matchesTemplate(path, it.segments)).flatMap((it) => it.methods)
    if (methods.length === 0 && panel !== null && isPageNavigation(request)) {
      return sendNotFoundPage({ panel, ...rest }, request, reply)
    }
    if (methods.length === 0) throw new AppError('NOT_FOUND')
    reply.header('allow', [...new Set(methods)].join(', '))
    throw new AppError('METHOD_NOT_ALLOWED')
  })
}

/** A parameter matches any segment that is not empty. */
function matchesTemplate(path: string, template: readonly string[]): boolean {
  const segments = path.split('/')
  const matchesSegment = (it: string, at: number) => (it.startsWith('{') ? segments[at] !== '' : segments[at] === it)
  return segments.length === template.length && template.every(matchesSegment)
}

function methodsByPath(routes: readonly AnyRoute[]): Map<string, string[]> {
  const pairs = routes.flatMap(({ path, method }) => pathAliases(path).map((address) => ({ address, method })))
  return new Map(
    [...Map.groupBy(pairs, (it) => it.address)].map(([address, group]) => [
      address,
      group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    ]),
  )
}

/** A parameter of arbitrary text may equal a literal segment; a number cannot. */
const isShadowed = ({ params, routeOptions: { config } }: FastifyRequest) =>
  config.params !== undefined && !config.params.safeParse(params).success

/** Answers `Expect: 100-continue` after the checks, so that a rejected request never sends its body. */
function handleExpectContinue(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', async (request, reply, payload) => {
    if (request.headers.expect?.toLowerCase() !== '100-continue') return payload
    if (Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit) {
      reply.header('connection', 'close')
      throw payloadTooLarge(request)
    }
    reply.raw.writeContinue()
    return payload
  })
}

const STATUS_PATHS = new Set(['/health', '/health/ready', '/metrics'].flatMap(pathAliases))

/** Answers requests on excess connections with 503, except health checks and metrics. */
function refuseExcessConnections(app: FastifyInstance, connections: ConnectionLimiter): void {
  connections.attach(app.server)
  app.addHook('onRequest', async (request, reply) => {
    if (!connections.isRefused(request.raw.socket)) return
    reply.header('connection', 'close')
    if (!STATUS_PATHS.has(textBefore(request.url, '?'))) throw new AppError('OUT_OF_FILES')
  })
}

/** During shutdown, running requests finish and new ones are answered 503. The signal is aborted at its start. */
function refuseDuringShutdown(app: FastifyInstance): AbortSignal {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onRequest', async () => {
    if (closing.signal.aborted) throw new AppError('SHUTTING_DOWN')
  })
  // A keep-alive connection would keep the server from closing.
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing.signal.aborted) reply.header('connection', 'close')
    return payload
  })
  return closing.signal
}
