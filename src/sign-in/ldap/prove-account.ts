// Proves a name and a password at an LDAP server, and reads the account.
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import {
  type Entry,
  InappropriateAuthError,
  InvalidCredentialsError,
  InvalidDNSyntaxError,
  NoSuchObjectError,
} from 'ldapts'
import type { LdapProviderSettings, LdapSettings } from '../../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../../domain/sign-in/verified-identity.ts'
import type { StoredProvider } from '../../store/identity/providers/sign-in-providers.ts'
import { mapClaims } from '../map-claims.ts'
import { fillFilter, fillName } from './fill-template.ts'
import { type Directory, type DirectoryDeps, openDirectory } from './open-directory.ts'

export type LdapProvider = StoredProvider<LdapProviderSettings, { bind_password?: string }>

export interface Login {
  username: string
  /** Not empty. */
  password: string
}

/** Nobody has this name, or several entries have it, or the password is another one. */
export class WrongLogin extends Error {}

const MAX_GROUPS = 1_001
const MAX_SUBJECT = 255
const SIGN_IN_MS = 30_000
/** Attributes of Active Directory and eDirectory with bytes instead of a text. */
const BYTES = /^(?:objectguid|objectsid|guid)$/i

/** Rejects with a WrongLogin, a SignInError, an EgressError or an error of ldapts. */
export async function proveAccount(
  deps: DirectoryDeps,
  provider: LdapProvider,
  { username, password }: Login,
): Promise<VerifiedIdentity> {
  const { ldap } = provider.settings
  const signal = AbortSignal.timeout(SIGN_IN_MS)
  const directory = await openDirectory(deps, ldap, { providerId: provider.id, signal })
  try {
    const entry = await readEntry(directory, provider, { username, password })
    const claims = claimsOf(entry, wantedAttributes(provider.settings))
    const subject = subjectOf(entry, ldap.subject_attribute)
    const groups =
      ldap.groups === null ? {} : { groups: await searchGroups(directory, ldap.groups, entry.dn, username) }
    const all = { ...claims, ...groups }
    return {
      ...{ subject, ...mapClaims(provider.settings, all), email_verified: ldap.vouches_for_emails },
      claims: { dn: entry.dn, ...all },
    }
  } finally {
    await directory.close()
  }
}

/** The connection is afterwards that of the search account, if there is one, else that of the person. */
async function readEntry(directory: Directory, provider: LdapProvider, login: Login): Promise<Entry> {
  const { settings } = provider
  const { people } = settings.ldap
  if (people.kind === 'template') {
    const dn = fillName(people.dn_template, login.username)
    await bindPerson(directory, dn, login.password)
    const [entry] = await directory.search(dn, { ...personSearch(settings), scope: 'base', filter: '(objectClass=*)' })
    if (entry === undefined) throw new SignInError('answer_invalid')
    return entry
  }
  await bindSearcher(directory, provider)
  const filter = fillFilter(people.filter, { username: login.username })
  const [entry, other] = await directory.search(people.base_dn, { ...personSearch(settings), scope: 'sub', filter })
  if (entry === undefined || other !== undefined) {
    // A bind follows as it does for a person who exists.
    await directory.bind(`cn=${randomUUID()},${people.base_dn}`, login.password).catch(() => {})
    throw new WrongLogin()
  }
  await bindPerson(directory, entry.dn, login.password)
  await bindSearcher(directory, provider)
  return entry
}

/** Does nothing if the search is anonymous, or if people are not searched for. */
export async function bindSearcher(
  directory: Pick<Directory, 'bind'>,
  { settings: { ldap }, secrets }: LdapProvider,
): Promise<void> {
  const bind_dn = ldap.people.kind === 'search' ? ldap.people.bind_dn : null
  if (bind_dn === null) return
  await directory.bind(bind_dn, secrets?.bind_password ?? '').catch((error: unknown) => {
    throw new Error('The server refuses the account that searches', { cause: error })
  })
}

/** Some servers have other codes for entries that do not exist or have no password. */
const WRONG = [InvalidCredentialsError, InappropriateAuthError, NoSuchObjectError, InvalidDNSyntaxError]

async function bindPerson(directory: Directory, dn: string, password: string): Promise<void> {
  await directory.bind(dn, password).catch((error: unknown) => {
    throw WRONG.some((it) => error instanceof it) ? new WrongLogin() : error
  })
}

/** Two entries, so that a second one is seen. */
const personSearch = (settings: LdapProviderSettings) => ({
  attributes: [...new Set([...wantedAttributes(settings), settings.ldap.subject_attribute])],
  binary: [settings.ldap.subject_attribute],
  maxEntries: 2,
})

/** The claims of a group search come from no attribute. */
function wantedAttributes({
  ldap,
  email_claim,
  name_claim,
  groups_claim,
  roles_claim,
}: LdapProviderSettings): string[] {
  const wanted = [email_claim, name_claim, groups_claim, roles_claim].filter((it) => it !== null)
  return wanted.filter((it) => ldap.groups === null || it !== GROUPS_CLAIM)
}

export const GROUPS_CLAIM = 'groups'

/** Texts by the names of the settings: servers answer in the case of their schema. */
function claimsOf(entry: Entry, names: readonly string[]): Record<string, string[]> {
  const pairs = names.map((name): [string, string[]] => [
    name,
    valuesOf(entry, name).flatMap((it) => (typeof it === 'string' ? [it] : isUtf8(it) ? [it.toString()] : [])),
  ])
  return Object.fromEntries(pairs)
}

function valuesOf(entry: Entry, name: string): (string | Buffer)[] {
  const lower = name.toLowerCase()
  const found = Object.entries(entry).filter(([key]) => key.toLowerCase() === lower && key !== 'dn')
  return found.flatMap(([, value]): (string | Buffer)[] => (Array.isArray(value) ? value : [value]))
}

function subjectOf(entry: Entry, name: string): string {
  const [value, ...others] = valuesOf(entry, name)
  if (value === undefined || others.length > 0) throw new SignInError('answer_invalid')
  const bytes = Buffer.from(value)
  const subject = BYTES.test(name) ? bytes.toString('hex') : isUtf8(bytes) ? bytes.toString() : ''
  if (subject === '' || subject.length > MAX_SUBJECT || subject.includes('\u0000'))
    throw new SignInError('answer_invalid')
  return subject
}

async function searchGroups(
  directory: Directory,
  { base_dn, filter, name_attribute }: NonNullable<LdapSettings['groups']>,
  dn: string,
  username: string,
): Promise<string[]> {
  const search = { scope: 'sub', attributes: [name_attribute], maxEntries: MAX_GROUPS } as const
  const entries = await directory.search(base_dn, { ...search, filter: fillFilter(filter, { dn, username }) })
  return entries.flatMap((it) => claimsOf(it, [name_attribute])[name_attribute]?.slice(0, 1) ?? [])
}
