// The edge: HTTP in, one call into the house, JSON out; every throw becomes an answer here.
import type { Socket } from 'node:net'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { audited, auditRefusal } from './auditing.ts'
import { authenticate, checkPolicy } from './authenticate.ts'
import { SessionAnswer } from './browser.ts'
import { Download, sendDownload } from './download.ts'
import { answerError, answerUnreadable, tooLarge } from './error-answer.ts'
import { type Lanes, openLanes, takeTurn } from './lanes.ts'
import { LineStream, sendLines } from './line-stream.ts'
import { answerLines } from './lines-route.ts'
import { type Observer, observe, urlOf } from './observe.ts'
import { addPanel, isProgramAtPage, type Panel } from './panel.ts'
import { type Admitted, callOf } from './request.ts'
import { requestIdOf } from './request-id.ts'
import type { AnyRoute, LinesRoute } from './route.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    params?: z.ZodType
  }
}

export interface ServerSettings {
  bodyLimitBytes: number
  uploadLimitBytes: number
  /** For answers that a client does not take as fast as they come. */
  spoolDir: string
  /** The pages for people; null where they were not built. */
  panel: Panel | null
}

const REQUEST_TIMEOUT_MS = 60_000
const HEADERS_TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 65_536
const MAX_UPLOADED_FILES = 1_000
const MAX_UPLOAD_BODY = 8 * 2 ** 30

/** The same route under each of these: clients of the existing server use all four spellings. */
export function addressesOf(path: string): string[] {
  const own = path.startsWith('/service-api/') ? [path, path.replace('/service-api/', '/onyx-api/')] : [path]
  return own.flatMap((it) => [it, `/api${it}`])
}

export async function createServer(
  services: Services,
  routes: readonly AnyRoute[],
  settings: ServerSettings,
): Promise<FastifyInstance> {
  /** Connections with a request that may take as long as it likes, and has time limits of its own. */
  const patient = new WeakSet<Socket>()
  const app = Fastify({
    logger: false,
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id }), services),
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !patient.has(socket)) answerUnreadable(error, socket)
    },
  })
  // Bytes come to us as they are: what they must be is decided by each route, in one place.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, services))
  continueWhenWelcome(app)
  const closing = refuseWhileClosing(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id })
  })
  answerUnknown(app, routes)
  addPanel(app, settings.panel)
  const needs = { services, observer: observe(app, routes, addressesOf, services), lanes: openLanes() }
  for (const it of routes) if (it.upload === undefined && it.lines === undefined) addRoute(app, needs, it)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    const patience = { spoolDir: settings.spoolDir, closing, patient }
    for (const it of routes) if (it.lines !== undefined) addLinesRoute(scope, { ...needs, ...patience }, it)
  })
  await app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: settings.uploadLimitBytes, files: MAX_UPLOADED_FILES, fieldSize: 1_000_000, fields: 100 },
      throwFileSizeLimit: false,
    })
    for (const it of routes) if (it.upload !== undefined) addRoute(scope, needs, it)
  })
  return app
}

const PAGE_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'"
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

interface Needs {
  services: Services
  observer: Observer
  lanes: Lanes
}

/** Who asks, if they may, and if there is room. */
async function admit(
  { services, observer }: Needs,
  it: AnyRoute,
  request: FastifyRequest,
): Promise<Subject | undefined> {
  if (it.access === 'public') return
  const subject = await authenticate(services, request.raw)
  observer.note(request, subject)
  try {
    checkPolicy(it.access, subject)
  } catch (error) {
    await auditRefusal(it, services, request, subject)
    throw error
  }
  it.admit?.(services)
  return subject
}

type Single = Exclude<AnyRoute, LinesRoute>

/** A public route never looks at its subject; every other has one by the time it is called. */
const NOBODY = {} as Admitted

function addRoute(app: FastifyInstance, needs: Needs, it: Single): void {
  const { services, lanes } = needs
  if (it.access === undefined) throw new Error(`${it.method} ${it.path} has no access policy`)
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (Object.values(request.params as object).includes('')) throw new AppError('NOT_FOUND')
    const subject = await admit(needs, it, request)
    if (subject === undefined) return
    const ticket = it.lane === undefined ? undefined : await takeTurn(lanes[it.lane], subject, reply)
    admitted.set(request, ticket === undefined ? { subject } : { subject, ticket })
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const call = callOf(it, services, request, reply, admitted.get(request) ?? NOBODY)
    const answer = await audited(it, call, () => it.handle(call as never))
    if (reply.sent) return reply
    if (answer instanceof SessionAnswer) {
      const body = JSON.stringify(answer.body)
      return reply.headers({ 'content-type': 'application/json', 'set-cookie': [...answer.cookies] }).send(body)
    }
    if (answer instanceof LineStream) return sendLines(request, reply, answer)
    if (answer instanceof Response) return reply.send(answer)
    if (answer instanceof Download) return sendDownload(services, request, reply, answer)
    if (it.mediaType !== undefined) {
      return reply.header('content-security-policy', PAGE_POLICY).type(it.mediaType).send(answer)
    }
    return reply.header('content-type', 'application/json').send(JSON.stringify(answer ?? null))
  }
  const config = configOf(it)
  for (const address of addressesOf(it.path)) {
    app.route({
      method: it.method,
      url: urlOf(address),
      config,
      onRequest,
      handler,
      ...(it.bodyLimitBytes !== undefined && { bodyLimit: it.bodyLimitBytes }),
      ...(it.upload && { bodyLimit: MAX_UPLOAD_BODY }),
    })
  }
}

const configOf = ({ params }: AnyRoute) => (params === undefined ? {} : { params })

interface LinesNeeds extends Needs {
  spoolDir: string
  closing: AbortSignal
  patient: WeakSet<Socket>
}

function addLinesRoute(app: FastifyInstance, needs: LinesNeeds, it: LinesRoute): void {
  const subjectOf = async (request: FastifyRequest) => {
    const subject = await admit(needs, it, request)
    if (subject === undefined) throw new Error(`${it.path} takes lines from nobody in particular`)
    return subject
  }
  const subjects = new WeakMap<FastifyRequest, Subject>()
  const onRequest = async (request: FastifyRequest) => void subjects.set(request, await subjectOf(request))
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    needs.patient.add(request.raw.socket)
    reply.raw.once('close', () => needs.patient.delete(request.raw.socket))
    return answerLines(it, { ...needs, admit: subjectOf }, request, reply, subjects.get(request)!)
  }
  const config = configOf(it)
  for (const url of addressesOf(it.path)) {
    app.route({ method: it.method, url, config, onRequest, handler, bodyLimit: Number.MAX_SAFE_INTEGER })
  }
}

/**
 * 404 for a path that nobody has, 405 for a method that the path does not have: before a byte of the body is read. A
 * fixed path is nobody's parameter: of `/user/pats/scopes` nothing can be deleted, though `/user/pats/{token_id}` can.
 */
function answerUnknown(app: FastifyInstance, routes: readonly AnyRoute[]): void {
  const methodsAt = methodsByAddress(routes)
  const templates = [...methodsAt].map(([address, methods]) => ({
    pattern: new RegExp(`^${address.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }))
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const fixed = methodsAt.get(path)
    const isFree = request.is404 || isProgramAtPage(request) || (fixed !== undefined && isShadowed(request))
    if (!isFree) return
    const methods = fixed ?? templates.filter((it) => it.pattern.test(path)).flatMap((it) => it.methods)
    if (methods.length === 0) throw new AppError('NOT_FOUND')
    reply.header('allow', [...new Set(methods)].join(', '))
    throw new AppError('METHOD_NOT_ALLOWED')
  })
}

function methodsByAddress(routes: readonly AnyRoute[]): Map<string, string[]> {
  const pairs = routes.flatMap(({ path, method }) => addressesOf(path).map((address) => ({ address, method })))
  return new Map(
    [...Map.groupBy(pairs, (it) => it.address)].map(([address, group]) => [
      address,
      group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    ]),
  )
}

/** A parameter that takes any text may be the word of a fixed path; a number cannot. */
const isShadowed = ({ params, routeOptions: { config } }: FastifyRequest) =>
  config.params !== undefined && !config.params.safeParse(params).success

/** A client that asks before it sends a large body gets its answer first, and no "100 Continue" when that is a no. */
function continueWhenWelcome(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', async (request, reply, payload) => {
    if (request.headers.expect?.toLowerCase() !== '100-continue') return payload
    if (Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit) {
      reply.header('connection', 'close')
      throw tooLarge(request)
    }
    reply.raw.writeContinue()
    return payload
  })
}

/** What is under way is finished, as soon as the signal lets it; what comes after is sent elsewhere. */
function refuseWhileClosing(app: FastifyInstance): AbortSignal {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onRequest', async () => {
    if (closing.signal.aborted) throw new AppError('SHUTTING_DOWN')
  })
  // A connection that stays open after its answer would keep the server from ending.
  app.addHook('onSend', async (_request, reply, payload) => {
    if (closing.signal.aborted) reply.header('connection', 'close')
    return payload
  })
  return closing.signal
}
