// Applies the operations of PATCH to a user.
import { AppError } from '../domain/errors.ts'
import type { ScimFilter } from '../domain/scim/filter.ts'
import type { ScimEmail, ScimUserContent } from '../domain/scim/user.ts'
import { readAttributes, readBoolean, readRequired, readText } from './attributes.ts'
import type { ScimPath } from './filter.ts'
import { matchesValue } from './matches-value.ts'
import type { PatchOperation } from './patch-operations.ts'
import { readEmail, readEmails, readName } from './user.ts'

export const patchUser = (user: ScimUserContent, operations: readonly PatchOperation[]): ScimUserContent =>
  operations.reduce(applyOperation, user)

function applyOperation(user: ScimUserContent, { op, path, value }: PatchOperation): ScimUserContent {
  const sent = op === 'remove' ? undefined : value
  if (path.filter !== null && path.attribute !== 'emails') throw unknownPath(path)
  switch (path.attribute) {
    case 'username':
      return { ...user, userName: readRequired(sent, 'userName') }
    case 'externalid':
      return { ...user, externalId: readText(sent, 'externalId') }
    case 'displayname':
      return { ...user, displayName: readText(sent, 'displayName') }
    case 'active':
      return { ...user, active: readBoolean(sent, 'active') }
    case 'name':
      return { ...user, name: op === 'remove' ? readName(undefined) : mergeName(user.name, sent) }
    case 'name.formatted':
      return { ...user, name: { ...user.name, formatted: readText(sent, 'name.formatted') } }
    case 'name.givenname':
      return { ...user, name: { ...user.name, givenName: readText(sent, 'name.givenName') } }
    case 'name.familyname':
      return { ...user, name: { ...user.name, familyName: readText(sent, 'name.familyName') } }
    case 'emails':
      // Other addresses may lose their mark of the primary one; the result is checked as a whole.
      return { ...user, emails: readEmails(changeEmails(user.emails, { op, path, value })) }
    default:
      throw unknownPath(path)
  }
}

const unknownPath = ({ attribute }: ScimPath) =>
  new AppError('SCIM_INVALID_PATH', { reason: `"${attribute}" is no attribute of a user that can be changed.` })

/** Parts that the value does not name stay. */
function mergeName(name: ScimUserContent['name'], value: unknown): ScimUserContent['name'] {
  const sent = readAttributes(value, 'name')
  const read = readName(value)
  return {
    formatted: sent.has('formatted') ? read.formatted : name.formatted,
    givenName: sent.has('givenname') ? read.givenName : name.givenName,
    familyName: sent.has('familyname') ? read.familyName : name.familyName,
  }
}

function changeEmails(emails: readonly ScimEmail[], operation: PatchOperation): readonly ScimEmail[] {
  const { op, path, value } = operation
  if (path.filter !== null) return changeMatching(emails, operation, path.filter)
  if (op === 'remove') return []
  const sent = readEmails(value)
  return op === 'replace' ? sent : addEmails(emails, sent)
}

/** An address that is there already is not added again. A new primary one ends the old one. */
function addEmails(emails: readonly ScimEmail[], added: readonly ScimEmail[]): ScimEmail[] {
  const values = new Set(added.map((it) => it.value.toLowerCase()))
  const kept = emails.filter((it) => !values.has(it.value.toLowerCase()))
  return [...withoutPrimary(kept, added), ...added]
}

const withoutPrimary = (kept: readonly ScimEmail[], added: readonly ScimEmail[]): readonly ScimEmail[] =>
  added.some((it) => it.primary) ? kept.map((it) => ({ ...it, primary: false })) : kept

function changeMatching(
  emails: readonly ScimEmail[],
  { op, path, value }: PatchOperation,
  filter: ScimFilter,
): readonly ScimEmail[] {
  const matching = emails.filter((it) => matchesValue(filter, it))
  const others = emails.filter((it) => !matching.includes(it))
  if (op === 'remove' && path.sub === null) return others
  if (op === 'remove' && path.sub === 'value') return others
  if (matching.length === 0) return [...others, ...newEmail(path, value, filter)]
  const changed = matching.flatMap((it) => readEmail({ ...it, ...changedPart(path, op === 'remove' ? null : value) }))
  return [...withoutPrimary(others, changed), ...changed]
}

/** Entra ID sets `emails[type eq "work"].value` of a user who has no such address: it adds the address. */
function newEmail(path: ScimPath, value: unknown, filter: ScimFilter): ScimEmail[] {
  if (filter.kind !== 'compare' || filter.attribute !== 'type' || filter.operator !== 'eq' || path.sub !== 'value')
    throw new AppError('SCIM_NO_TARGET', { path: path.attribute })
  return readEmail({ value, type: filter.value })
}

function changedPart({ sub, attribute }: ScimPath, value: unknown): Record<string, unknown> {
  if (sub === null) {
    const sent = readAttributes(value, 'An e-mail')
    return Object.fromEntries(['value', 'type', 'primary'].filter((it) => sent.has(it)).map((it) => [it, sent.get(it)]))
  }
  if (sub === 'value' || sub === 'type' || sub === 'primary') return { [sub]: value }
  throw new AppError('SCIM_INVALID_PATH', { reason: `"${attribute}" has no attribute "${sub}".` })
}
