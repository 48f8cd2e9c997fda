// Tools and MCP servers that act with the rights of the caller: they receive a short-lived token.
import { z } from 'zod'

export const RECIPIENT_KINDS = ['tool', 'mcp_server'] as const

/** The recipient of the token. */
export interface PassthroughRecipient {
  kind: (typeof RECIPIENT_KINDS)[number]
  id: number
}

/** An administrator has allowed it to receive tokens of users other than its owner. */
export interface PassthroughGrant {
  granted_by: string
  granted_at: number
}

export const PassthroughGrantSnapshot = z
  .object({
    granted_by: z.string().describe('`user_id` of the administrator.'),
    granted_at: z.iso.datetime(),
  })
  .meta({ id: 'PassthroughGrant' })

export const createPassthroughGrant = (user_id: string, now: number): PassthroughGrant => ({
  granted_by: user_id,
  granted_at: now,
})

export interface PassthroughGrantColumns {
  passthrough_granted_by: string | null
  passthrough_granted_at: number | null
}

export const NO_PASSTHROUGH_GRANT: PassthroughGrantColumns = {
  passthrough_granted_by: null,
  passthrough_granted_at: null,
}

export const grantFromColumns = (row: PassthroughGrantColumns): PassthroughGrant | null =>
  row.passthrough_granted_by === null || row.passthrough_granted_at === null
    ? null
    : { granted_by: row.passthrough_granted_by, granted_at: row.passthrough_granted_at }

export const grantToColumns = (grant: PassthroughGrant | null): PassthroughGrantColumns =>
  grant === null
    ? NO_PASSTHROUGH_GRANT
    : { passthrough_granted_by: grant.granted_by, passthrough_granted_at: grant.granted_at }

export const toGrantSnapshot = (grant: PassthroughGrant | null): z.infer<typeof PassthroughGrantSnapshot> | null =>
  grant && { granted_by: grant.granted_by, granted_at: new Date(grant.granted_at).toISOString() }
