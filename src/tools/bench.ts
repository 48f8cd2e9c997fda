// A tool tried by who made it: what would be sent, what comes back, what failed before, and what another definition changes.
import { AppError } from '../domain/errors.ts'
import { mask } from '../domain/mask.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import { methodsOf, serverOf, type ToolMethod } from '../domain/tool-definition.ts'
import { EgressError } from '../egress/egress.ts'
import { findOwnTool } from '../store/custom-tools.ts'
import type { Database } from '../store/database.ts'
import { getFailure, listFailures, type ToolFailure } from '../store/tool-failures.ts'
import type { StoredTool } from '../store/tools.ts'
import { type CustomNeeds, type Outgoing, outgoing } from './custom.ts'
import { type Operation, operationOf } from './operation.ts'
import type { Extent, Json } from './schema.ts'
import { send, type ToolAnswer } from './send.ts'

export interface BenchNeeds extends Omit<CustomNeeds, 'onFailure' | 'operationsOf'> {
  db: Database
}

export interface TryRequest {
  /** What to call and with what, or a failed call that is kept; what stands beside it counts more. */
  operation: string | null
  arguments: Json | null
  failure_id: number | null
  run: boolean
}

export interface Tried {
  operation: string
  arguments: Json
  request: { method: string; url: string; headers: Record<string, string>; body: string | null }
  /** Null where it was not sent, or nothing came back: then `error` says why, if there is a reason. */
  answer:
    | (Pick<ToolAnswer, 'media_type' | 'kind' | 'text' | 'is_truncated'> & { status_code: number; took_ms: number })
    | null
  error: string | null
}

export interface DefinitionDiff {
  added: Difference[]
  removed: Difference[]
  changed: (Difference & { changes: { field: string; before: unknown; after: unknown }[] })[]
  /** Null where it stays. */
  server: { before: string | null; after: string | null } | null
}
type Difference = Pick<ToolMethod, 'name' | 'summary' | 'method' | 'path'>

/** For the owner of a tool and for administrators; others are NOT_OWNER. */
export interface Bench {
  /** INVALID_INPUT names what cannot be sent. A call that fails is an answer. */
  attempt(
    subject: Subject,
    tool_id: number,
    request: TryRequest,
    asked: { authorization: string | null; signal: AbortSignal },
  ): Promise<Tried>
  diff(subject: Subject, tool_id: number, definition: Json): Promise<DefinitionDiff>
  failures(subject: Subject, tool_id: number, page: Page): Promise<ToolFailure[]>
}

export function openBench(needs: BenchNeeds): Bench {
  const { db } = needs
  return {
    async attempt(subject, tool_id, request, asked) {
      const row = await findOwnTool(db, subject, tool_id)
      const kept = request.failure_id === null ? null : await getFailure(needs, tool_id, request.failure_id)
      const operation = operationNamed(row, request.operation ?? kept?.operation ?? null)
      const args = request.arguments ?? kept?.arguments ?? {}
      const out = await outgoing(needs, { row, operation, args }, { subject, ...asked })
      const shown = { operation: operation.raw_name, arguments: args, request: masked(out) }
      if (!request.run) return { ...shown, answer: null, error: null }
      return { ...shown, ...(await sent(needs, out, { tool_id, signal: asked.signal })) }
    },
    async diff(subject, tool_id, definition) {
      const { definition: stored } = await findOwnTool(db, subject, tool_id)
      return difference(stored === null || stored === '{}' ? null : JSON.parse(stored), definition)
    },
    async failures(subject, tool_id, page) {
      await findOwnTool(db, subject, tool_id)
      return listFailures(needs, tool_id, page)
    },
  }
}

const MAX_NAMED = 20

function operationNamed({ definition }: StoredTool, wanted: string | null): Operation {
  const json: Json = JSON.parse(definition ?? '{}')
  const methods = methodsOf(json)
  const method = methods.find((it) => it.raw_name === wanted || it.name === wanted)
  if (method !== undefined) return operationOf(json, method)
  const names = methods.slice(0, MAX_NAMED).map((it) => it.raw_name)
  throw new AppError('INVALID_INPUT', { reason: `\`operation\` must be one of the tool: ${names.join(', ')}.` })
}

/** A secret is not the request's to show. */
const masked = ({ request: { method, url, headers, body }, secret }: Outgoing): Tried['request'] => ({
  method,
  url: url.href,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.has(name) ? mask(value) : value]),
  ),
  body: body ?? null,
})

async function sent(
  needs: BenchNeeds,
  { request }: Outgoing,
  of: { tool_id: number; signal: AbortSignal },
): Promise<Pick<Tried, 'answer' | 'error'>> {
  const started = performance.now()
  try {
    const { status: status_code, media_type, kind, text, is_truncated } = await send(needs, request, of)
    const took_ms = Math.round(performance.now() - started)
    return { answer: { status_code, media_type, kind, text, is_truncated, took_ms }, error: null }
  } catch (error) {
    of.signal.throwIfAborted()
    if (error instanceof EgressError) return { answer: null, error: error.message }
    throw error
  }
}

/** A definition may name one thing in a thousand operations: what is beyond this counts as the same. */
const MAX_COMPARED = 500_000

export function difference(before: Json | null, after: Json): DefinitionDiff {
  const olds = operationsByName(before)
  const news = operationsByName(after)
  const changed = [...news].flatMap(([name, now]) => {
    const changes = changesOf(olds.get(name), now)
    return changes.length === 0 ? [] : [{ ...shown(now), changes }]
  })
  const server = { before: urlOf(before), after: urlOf(after) }
  return {
    added: [...news].filter(([name]) => !olds.has(name)).map(([, it]) => shown(it)),
    removed: [...olds].filter(([name]) => !news.has(name)).map(([, it]) => shown(it)),
    changed,
    server: server.before === server.after ? null : server,
  }
}

interface Compared {
  method: ToolMethod
  fields: Record<string, unknown>
}

function operationsByName(definition: Json | null): Map<string, Compared> {
  if (definition === null) return new Map()
  const extent: Extent = { left: MAX_COMPARED }
  return new Map(
    methodsOf(definition).map((method) => {
      const { schema, parameters, bodyArgument } = operationOf(definition, method, extent)
      const { path, summary } = method
      const takes = { arguments: schema, places: parameters, body: bodyArgument }
      return [
        method.raw_name,
        { method, fields: { method: method.method.toUpperCase(), path, summary, parameters: takes } },
      ]
    }),
  )
}

function changesOf(before: Compared | undefined, after: Compared): DefinitionDiff['changed'][number]['changes'] {
  if (before === undefined) return []
  return Object.keys(after.fields)
    .filter((field) => JSON.stringify(before.fields[field]) !== JSON.stringify(after.fields[field]))
    .map((field) => ({ field, before: before.fields[field], after: after.fields[field] }))
}

const shown = ({ method: { name, summary, method, path } }: Compared): Difference => ({ name, summary, method, path })

const urlOf = (definition: Json | null) => (definition === null ? null : (serverOf(definition)?.url ?? null))
