// Audits administrative actions, as routes declare them: successful ones before the response is sent, rejected ones, and
// those that failed with a server error.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AuditOutcome } from '../../domain/audit.ts'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { type AuditLog, buildAct } from '../../identity/audit-log.ts'
import type { AnyAuditRule, AnyRoute, RouteCall } from '../route.ts'

interface AuditDeps {
  audit: Pick<AuditLog, 'record' | 'recordRefusal'>
}

/** Performs the action and audits it if the route declares so. Returns after the entry has reached the disk. */
export async function withAudit(
  { audit: rule }: AnyRoute,
  { audit }: AuditDeps,
  call: RouteCall<unknown, unknown, unknown>,
  perform: () => unknown,
): Promise<unknown> {
  if (rule === undefined || !isAdministrative(rule, call.subject)) return perform()
  const auditEntry = (
    outcome: AuditOutcome,
    error_code: ErrorCode | null,
    object_id: string | null,
    counts: readonly string[] = [],
  ) =>
    buildAct(call.subject, {
      action: rule.action,
      object_id,
      outcome,
      error_code,
      fields: [...call.sentFields(), ...counts],
      request_id: call.requestId,
    })
  let answer: unknown
  try {
    answer = await perform()
  } catch (error) {
    const { code, status } = error instanceof AppError ? error : { code: 'INTERNAL_ERROR' as const, status: 500 }
    const object =
      requestDescription(rule, call) ??
      (typeof rule.object === 'string' ? pathParameter(rule.object, call.params) : null)
    if (status === 403) await audit.recordRefusal(auditEntry('refused', code, object))
    if (status >= 500) await audit.record(auditEntry('failed', code, object))
    throw error
  }
  const record = async () =>
    audit.record(auditEntry('success', null, await auditedObject(rule, call, answer), rule.counts?.(answer)))
  await record().catch(throwUnavailable)
  return answer
}

/** The action has succeeded, so the error must not claim that nothing was stored. */
function throwUnavailable(cause: unknown): never {
  throw cause instanceof AppError && cause.code.startsWith('STORE_')
    ? new AppError('STORE_UNAVAILABLE', {}, { cause })
    : cause
}

/** Audits a request that the access policy rejected. */
export async function auditRefusal(
  { audit: rule }: AnyRoute,
  { audit }: AuditDeps,
  request: FastifyRequest,
  { subject, error }: { subject: Subject; error: unknown },
): Promise<void> {
  if (rule === undefined || !isAdministrative(rule, subject)) return
  const object_id = typeof rule.object === 'string' ? pathParameter(rule.object, request.params) : null
  const error_code = error instanceof AppError ? error.code : 'INSUFFICIENT_PERMISSIONS'
  const details = { outcome: 'refused', error_code, fields: [] } as const
  await audit.recordRefusal(buildAct(subject, { action: rule.action, object_id, ...details, request_id: request.id }))
}

const isAdministrative = ({ onlyWithRight }: AnyAuditRule, subject: Subject) =>
  onlyWithRight === undefined || subject.rights.has(onlyWithRight)

const requestDescription = (
  { describeRequest }: AnyAuditRule,
  call: RouteCall<unknown, unknown, unknown>,
): string | null =>
  describeRequest === undefined ? null : describeRequest(call).slice(0, MAX_DESCRIPTION).toWellFormed()

async function auditedObject(
  rule: AnyAuditRule,
  call: RouteCall<unknown, unknown, unknown>,
  answer: unknown,
): Promise<string | null> {
  if (rule.describeRequest !== undefined) return requestDescription(rule, call)
  if (rule.object === undefined) return null
  if (typeof rule.object === 'string') return pathParameter(rule.object, call.params)
  const id = await rule.object(call, answer)
  return id === null ? null : String(id)
}

const MAX_ID = 200
const MAX_DESCRIPTION = 1_000

function pathParameter(name: string, params: unknown): string | null {
  const id: unknown = Object.entries(params ?? {}).find(([it]) => it === name)?.[1]
  return id === undefined ? null : String(id).slice(0, MAX_ID)
}

/** A generated document id contains the title, and a long id may; the audit log gets a hash of these. */
export const auditedDocumentId = (id: string): string =>
  id.startsWith('ingestion_api_') || id.length > MAX_ID ? `sha256:${createHash('sha256').update(id).digest('hex')}` : id
