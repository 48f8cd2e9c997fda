// A group of SCIM: what a directory sends, and what it gets.
import { AppError } from '../domain/errors.ts'
import type { ScimFilter } from '../domain/scim/filter.ts'
import type { ScimGroupChange } from '../domain/scim/user.ts'
import { invalidValue, readAttributes, readRequired, readText } from './attributes.ts'
import type { PatchOperation } from './patch-operations.ts'
import { GROUP_SCHEMA } from './schemas.ts'

export const MAX_MEMBERS = 50_000
const MAX_ID = 100

export interface ScimGroupContent {
  displayName: string
  externalId: string | null
  members: readonly string[]
}

export interface ScimGroupFacts {
  id: number
  name: string
  externalId: string | null
  /** Null if they were not asked for. */
  members: readonly string[] | null
  time_created: number
  time_updated: number
}

/** The body of POST and PUT. */
export function readGroup(body: unknown): ScimGroupContent {
  const sent = readAttributes(body, 'The group')
  return {
    displayName: readRequired(sent.get('displayname'), 'displayName'),
    externalId: readText(sent.get('externalid'), 'externalId'),
    members: readMembers(sent.get('members')),
  }
}

function readMembers(value: unknown): string[] {
  const list: unknown[] = value === undefined || value === null ? [] : [value].flat()
  if (list.length > MAX_MEMBERS) throw invalidValue(`\`members\` has more than ${MAX_MEMBERS} values.`)
  return [...new Set(list.map(readMember))]
}

function readMember(value: unknown): string {
  const id = typeof value === 'string' ? value : readAttributes(value, 'A member').get('value')
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID || id.includes('\u0000'))
    throw invalidValue('`members.value` must be the id of a user.')
  return id
}

/** The operations of PATCH as steps, which do not need the present members. */
export const readGroupChanges = (operations: readonly PatchOperation[]): ScimGroupChange[] => operations.map(readChange)

function readChange({ op, path, value }: PatchOperation): ScimGroupChange {
  const { attribute, filter, sub } = path
  if (attribute === 'displayname' && filter === null)
    return { kind: 'name', name: readRequired(op === 'remove' ? undefined : value, 'displayName') }
  if (attribute === 'externalid' && filter === null)
    return { kind: 'externalId', externalId: op === 'remove' ? null : readText(value, 'externalId') }
  if (attribute !== 'members' || sub !== null)
    throw new AppError('SCIM_INVALID_PATH', {
      reason: `"${attribute}" is no attribute of a group that can be changed.`,
    })
  if (filter !== null) {
    if (op !== 'remove') throw new AppError('SCIM_MUTABILITY', { path: 'members.value' })
    return { kind: 'remove', members: membersOf(filter) }
  }
  if (op === 'remove' && value !== undefined && value !== null) return { kind: 'remove', members: readMembers(value) }
  if (op === 'remove') return { kind: 'replace', members: [] }
  return { kind: op, members: readMembers(value) }
}

/** The members that `value eq "1" or value eq "2"` names. */
function membersOf(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(membersOf)
  if (filter.kind === 'compare' && filter.attribute === 'value' && filter.operator === 'eq')
    return [readMember(filter.value)]
  throw new AppError('SCIM_INVALID_FILTER', { reason: 'The filter of members can only be value eq "…".' })
}

export const groupResource = (group: ScimGroupFacts, base: string) => ({
  schemas: [GROUP_SCHEMA],
  id: String(group.id),
  ...(group.externalId !== null && { externalId: group.externalId }),
  displayName: group.name,
  ...(group.members !== null &&
    group.members.length > 0 && {
      members: group.members.map((id) => ({ value: id, $ref: `${base}/Users/${id}`, type: 'User' })),
    }),
  meta: {
    resourceType: 'Group',
    created: new Date(group.time_created).toISOString(),
    lastModified: new Date(group.time_updated).toISOString(),
    location: `${base}/Groups/${group.id}`,
  },
})
