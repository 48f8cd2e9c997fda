// A tool that acts as the asking person gets a token that is valid for minutes, never the key of the person. If the
// tool belongs to another user, an administrator and the person must both have allowed it; both are checked before
// each token.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { grantFromColumns, type PassthroughGrant, type PassthroughRecipient } from '../../domain/tools/passthrough.ts'
import type { Database, Queryable } from '../../store/database/database.ts'
import { getMcpServer, type StoredMcpServer } from '../../store/tools/mcp-servers.ts'
import { hasConsentedToPassthrough, insertPassthroughConsent } from '../../store/tools/passthrough.ts'
import { getStoredTool, type StoredTool } from '../../store/tools/tools.ts'

export interface PassthroughDeps {
  db: Database
  callTokens: { issue(subject: Subject, recipient: PassthroughRecipient): Promise<string> }
  now: () => number
}

/** The recipient of the token, as it was when the call was prepared. */
export type PassthroughTarget = { tool: StoredTool } | { server: StoredMcpServer }

/**
 * Asks the person with `confirm` unless consent is stored, and stores a positive answer. Returns false if the person
 * declines. PASSTHROUGH_NOT_GRANTED if no administrator has allowed the recipient.
 */
export async function ensureConsent(
  { db, now }: Omit<PassthroughDeps, 'callTokens'>,
  subject: Subject,
  target: PassthroughTarget,
  confirm: () => Promise<boolean>,
): Promise<boolean> {
  const current = await loadCurrentTarget(db, subject, target)
  checkGrant(subject, current)
  if (isOwn(subject, current) || (await hasConsentedToPassthrough(db, subject, current.recipient))) return true
  if (!(await confirm())) return false
  // The tool may have changed while the person decided.
  checkGrant(subject, await loadCurrentTarget(db, subject, target))
  await insertPassthroughConsent(db, subject, current.recipient, now())
  return true
}

/**
 * Returns the value of the header. PASSTHROUGH_NEEDS_CONSENT if the person has not agreed or has withdrawn consent.
 */
export async function issueAuthorization(
  { db, callTokens }: Omit<PassthroughDeps, 'now'>,
  subject: Subject,
  target: PassthroughTarget,
): Promise<string> {
  const current = await loadCurrentTarget(db, subject, target)
  checkGrant(subject, current)
  if (!isOwn(subject, current) && !(await hasConsentedToPassthrough(db, subject, current.recipient))) {
    const field = current.recipient.kind === 'tool' ? 'tool_id' : 'mcp_server_id'
    throw new AppError('PASSTHROUGH_NEEDS_CONSENT', { name: current.name, field, id: current.recipient.id })
  }
  return `Bearer ${await callTokens.issue(subject, current.recipient)}`
}

/** Stores consent that the person gives outside a chat. */
export async function grantConsent(
  { db, now }: Omit<PassthroughDeps, 'callTokens'>,
  subject: Subject,
  target: PassthroughTarget,
): Promise<void> {
  await ensureConsent({ db, now }, subject, target, async () => true)
}

/** Whether the server may get a token after the person agrees. */
export const canReceiveToken = (subject: Subject, server: StoredMcpServer): boolean =>
  server.user_id === subject.user_id || server.passthrough_grant !== null

interface CurrentTarget {
  recipient: PassthroughRecipient
  name: string
  owner: string | null
  grant: PassthroughGrant | null
}

/**
 * Rejects with INVALID_INPUT if the recipient has changed since the call was prepared: the grant was for the old one.
 */
async function loadCurrentTarget(db: Queryable, subject: Subject, target: PassthroughTarget): Promise<CurrentTarget> {
  if ('tool' in target) {
    const { id } = target.tool
    const current = await getStoredTool(db, id)
    if (current.time_updated !== target.tool.time_updated || current.passthrough_auth !== 1)
      throw targetChanged(current.name)
    return {
      recipient: { kind: 'tool', id },
      name: current.name,
      owner: current.user_id,
      grant: grantFromColumns(current),
    }
  }
  const { id } = target.server
  const current = await getMcpServer(db, subject, id)
  const isSame = current.server_url === target.server.server_url && current.transport === target.server.transport
  if (!isSame || current.auth_type !== 'PT_OAUTH') throw targetChanged(current.name)
  const recipient = { kind: 'mcp_server', id } as const
  return { recipient, name: current.name, owner: current.user_id, grant: current.passthrough_grant }
}

const targetChanged = (name: string) =>
  new AppError('INVALID_INPUT', {
    reason: `"${name}" was changed during the call. Ask again to use the current version.`,
  })

const isOwn = ({ user_id }: Subject, { owner }: CurrentTarget): boolean => owner === user_id

function checkGrant(subject: Subject, current: CurrentTarget): void {
  if (isOwn(subject, current) || current.grant !== null) return
  const { kind, id } = current.recipient
  const path = kind === 'tool' ? `/admin/tool/${id}/passthrough-grant` : `/admin/mcp/server/${id}/passthrough-grant`
  throw new AppError('PASSTHROUGH_NOT_GRANTED', { name: current.name, path })
}
