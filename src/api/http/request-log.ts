// Writes a log line and a metric for each response. Both contain the route template instead of the URL, which may contain
// an id, an e-mail address or a title.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { Subject } from '../../domain/subject.ts'
import type { AnyRoute } from '../route.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const MS = 1_000

export interface RequestLog {
  /** Records the authenticated subject of a request. */
  setSubject(request: FastifyRequest, subject: Subject): void
}

/** `aliasesOf` returns all paths of a route. */
export function createRequestLog(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  aliasesOf: (path: string) => readonly string[],
  { logger, meter }: { logger: Logger; meter: Meter },
): RequestLog {
  const templates = new Map(routes.flatMap((it) => aliasesOf(it.path).map((address) => [routerPath(address), it.path])))
  const quietRoutes = new Set(routes.filter((it) => it.access === 'public').map((it) => it.path))
  const subjects = new WeakMap<FastifyRequest, Subject>()
  app.addHook('onResponse', async (request, reply) => {
    const route = templates.get(request.routeOptions.url ?? '') ?? 'unknown'
    const method = METHODS.has(request.method) ? request.method : 'other'
    const { statusCode: status, elapsedTime: ms } = reply
    meter.countResponse({ route, method, status, seconds: ms / MS })
    const { user_id, api_key_id } = subjects.get(request) ?? {}
    const fields = { request_id: request.id, method, route, status, ms: Math.round(ms), user_id, api_key_id }
    // Health probes call public routes all the time.
    if (quietRoutes.has(route)) logger.debug(fields, 'answered')
    else logger.info(fields, 'answered')
  })
  return { setSubject: (request, subject) => void subjects.set(request, subject) }
}

/** The path in the router's syntax. */
export const routerPath = (address: string): string => address.replace(/\{(\w+)\}/g, ':$1')
