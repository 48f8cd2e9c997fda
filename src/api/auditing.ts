// What a route declares to be an act of administration is written down: when it was done, before it is answered; when
// the key had no right to it; and when the service failed at it.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AuditOutcome } from '../domain/audit.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import type { Subject } from '../domain/subject.ts'
import { actOf } from '../identity/audit.ts'
import type { AnyRoute, AuditRule, Call } from './route.ts'
import type { Services } from './services.ts'

/** Does the act, and writes it down if its route declares it. An answer comes only when the entry is on the disk. */
export async function audited(
  { audit: rule }: AnyRoute,
  call: Call<unknown, unknown, unknown>,
  act: () => unknown,
): Promise<unknown> {
  if (rule === undefined || !isAdministrative(rule, call.subject)) return act()
  const { audit } = call.services
  const entry = (outcome: AuditOutcome, error_code: ErrorCode | null, object_id: string | null) =>
    actOf(call.subject, {
      action: rule.action,
      object_id,
      outcome,
      error_code,
      fields: call.sentFields(),
      request_id: call.requestId,
    })
  let answer: unknown
  try {
    answer = await act()
  } catch (error) {
    const { code, status } = error instanceof AppError ? error : { code: 'INTERNAL_ERROR' as const, status: 500 }
    const object = typeof rule.object === 'string' ? objectIn(rule.object, call.params) : null
    if (status === 403) await audit.recordRefusal(entry('refused', code, object))
    if (status >= 500) await audit.record(entry('failed', code, object))
    throw error
  }
  await audit.record(entry('success', null, objectOf(rule, call, answer)))
  return answer
}

/** A key that the route's policy does not let in. */
export async function auditRefusal(
  { audit: rule }: AnyRoute,
  { audit }: Pick<Services, 'audit'>,
  request: FastifyRequest,
  subject: Subject,
): Promise<void> {
  if (rule === undefined || !isAdministrative(rule, subject)) return
  const object_id = typeof rule.object === 'string' ? objectIn(rule.object, request.params) : null
  const facts = { outcome: 'refused', error_code: 'INSUFFICIENT_PERMISSIONS', fields: [] } as const
  await audit.recordRefusal(actOf(subject, { action: rule.action, object_id, ...facts, request_id: request.id }))
}

const isAdministrative = ({ by }: AuditRule, subject: Subject) => by === undefined || subject.rights.has(by)

function objectOf(rule: AuditRule, call: Call<unknown, unknown, unknown>, answer: unknown): string | null {
  if (rule.object === undefined) return null
  if (typeof rule.object === 'string') return objectIn(rule.object, call.params)
  const id = rule.object(call as never, answer as never)
  return id === null ? null : String(id)
}

const MAX_ID = 200

function objectIn(name: string, params: unknown): string | null {
  const id = (params as Record<string, unknown>)[name]
  return id === undefined ? null : String(id).slice(0, MAX_ID)
}

/** An id that was made of a document's title is a title: of that only a hash is written down. */
export const documentObject = (id: string): string =>
  id.startsWith('ingestion_api_') || id.length > MAX_ID ? `sha256:${createHash('sha256').update(id).digest('hex')}` : id
