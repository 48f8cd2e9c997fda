// A user of SCIM: what a directory sends, and what it gets.
import type { ScimEmail, ScimUserContent } from '../domain/scim/user.ts'
import { invalidValue, isEmail, MAX_EMAILS, readAttributes, readBoolean, readRequired, readText } from './attributes.ts'
import { USER_SCHEMA } from './schemas.ts'

export interface ScimUserFacts extends ScimUserContent {
  id: string
  groups: readonly { id: number; name: string }[]
  time_created: number
  time_updated: number
}

/** The body of POST and PUT. SCIM_INVALID_VALUE: an attribute has no permitted value. */
export function readUser(body: unknown): ScimUserContent {
  const sent = readAttributes(body, 'The user')
  return {
    userName: readRequired(sent.get('username'), 'userName'),
    externalId: readText(sent.get('externalid'), 'externalId'),
    displayName: readText(sent.get('displayname'), 'displayName'),
    name: readName(sent.get('name')),
    emails: readEmails(sent.get('emails')),
    active: sent.has('active') ? readBoolean(sent.get('active'), 'active') : true,
  }
}

export function readName(value: unknown): ScimUserContent['name'] {
  const sent = readAttributes(value ?? {}, 'name')
  return {
    formatted: readText(sent.get('formatted'), 'name.formatted'),
    givenName: readText(sent.get('givenname'), 'name.givenName'),
    familyName: readText(sent.get('familyname'), 'name.familyName'),
  }
}

export function readEmails(value: unknown): ScimEmail[] {
  const list = value === undefined || value === null ? [] : [value].flat()
  if (list.length > MAX_EMAILS) throw invalidValue(`\`emails\` has more than ${MAX_EMAILS} values.`)
  const emails = list.flatMap(readEmail)
  if (emails.filter((it) => it.primary).length > 1) throw invalidValue('Only one of `emails` can be primary.')
  return emails
}

/** Empty for a value without an address, which Okta sends for a second address that does not exist. */
export function readEmail(value: unknown): ScimEmail[] {
  const sent =
    typeof value === 'string' ? new Map<string, unknown>([['value', value]]) : readAttributes(value, 'An e-mail')
  const address = readText(sent.get('value'), 'emails.value')?.trim()
  if (address === undefined || address === '') return []
  if (!isEmail(address)) throw invalidValue('`emails.value` must be an e-mail address.')
  const primary = sent.get('primary')
  return [
    {
      value: address,
      type: readText(sent.get('type'), 'emails.type'),
      primary: primary === undefined || primary === null ? false : readBoolean(primary, 'emails.primary'),
    },
  ]
}

/** The address that identifies the person: the userName if it is one, else the primary or first of the emails. */
export function addressOf({ userName, emails }: ScimUserContent): string {
  if (isEmail(userName)) return userName
  const address = (emails.find((it) => it.primary) ?? emails[0])?.value
  if (address === undefined) throw invalidValue('`userName` is no e-mail address, so `emails` must have one.')
  return address
}

/** The name of the person in the service, of at most 200 characters. */
export function personNameOf({ displayName, name }: ScimUserContent): string | null {
  const parts = [name.givenName, name.familyName].filter((it) => it !== null).join(' ')
  const found = displayName ?? name.formatted ?? parts
  return found === '' ? null : found.slice(0, 200).toWellFormed()
}

export const userResource = (user: ScimUserFacts, base: string) => ({
  schemas: [USER_SCHEMA],
  id: user.id,
  ...(user.externalId !== null && { externalId: user.externalId }),
  userName: user.userName,
  ...(Object.values(user.name).some((it) => it !== null) && { name: withoutNull(user.name) }),
  ...(user.displayName !== null && { displayName: user.displayName }),
  ...(user.emails.length > 0 && { emails: user.emails.map(withoutNull) }),
  active: user.active,
  ...(user.groups.length > 0 && {
    groups: user.groups.map(({ id, name }) => ({
      value: String(id),
      $ref: `${base}/Groups/${id}`,
      display: name,
      type: 'direct',
    })),
  }),
  meta: {
    resourceType: 'User',
    created: new Date(user.time_created).toISOString(),
    lastModified: new Date(user.time_updated).toISOString(),
    location: `${base}/Users/${user.id}`,
  },
})

const withoutNull = (value: object) => Object.fromEntries(Object.entries(value).filter(([, it]) => it !== null))
