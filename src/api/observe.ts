// What the operator learns of each request: a line in the log and a count. Neither has more of its address than the
// template of the route: the rest may be an id, an e-mail or a title.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Subject } from '../domain/subject.ts'
import type { AnyRoute } from './route.ts'
import type { Services } from './services.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const MS = 1_000

export interface Observer {
  /** Says whose request it is, once that is known. */
  note(request: FastifyRequest, subject: Subject): void
}

/** `addressesOf` gives the addresses under which a route answers. */
export function observe(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  addressesOf: (path: string) => readonly string[],
  { logger, meter }: Pick<Services, 'logger' | 'meter'>,
): Observer {
  const templates = new Map(routes.flatMap((it) => addressesOf(it.path).map((address) => [urlOf(address), it.path])))
  const quiet = new Set(routes.filter((it) => it.access === 'public').map((it) => it.path))
  const subjects = new WeakMap<FastifyRequest, Subject>()
  app.addHook('onResponse', async (request, reply) => {
    const route = templates.get(request.routeOptions.url ?? '') ?? 'unknown'
    const method = METHODS.has(request.method) ? request.method : 'other'
    const { statusCode: status, elapsedTime: ms } = reply
    meter.answered({ route, method, status, seconds: ms / MS })
    const { user_id, api_key_id } = subjects.get(request) ?? {}
    const facts = { request_id: request.id, method, route, status, ms: Math.round(ms), user_id, api_key_id }
    // Probes ask for these all day long.
    if (quiet.has(route)) logger.debug(facts, 'answered')
    else logger.info(facts, 'answered')
  })
  return { note: (request, subject) => void subjects.set(request, subject) }
}

/** As the router spells it. */
export const urlOf = (address: string): string => address.replace(/\{(\w+)\}/g, ':$1')
