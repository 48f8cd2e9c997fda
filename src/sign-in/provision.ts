// Finds or creates the person of a verified identity, and sets groups and role. The rules of all protocols are here.
import {
  type ClaimMapping,
  type MappedRole,
  originOf,
  type ProviderIdentity,
  type ProviderPolicy,
} from '../domain/sign-in/provider.ts'
import { SignInError, type SignInResult, type VerifiedIdentity } from '../domain/sign-in/verified-identity.ts'
import { ROLES, type Role } from '../domain/subject.ts'
import type { Queryable } from '../store/database/database.ts'
import { getOrCreatePseudonym } from '../store/identity/audit.ts'
import { alignCuratorRole } from '../store/identity/change-group.ts'
import { isLastAdmin, lockAdministrators } from '../store/identity/change-person.ts'
import {
  deleteNewPerson,
  findPerson,
  findPersonByEmail,
  insertNewPerson,
  type StoredPerson,
  setPersonName,
} from '../store/identity/people.ts'
import { setGroupsOfOrigin } from '../store/identity/providers/origin-groups.ts'
import {
  type AccountOfProvider,
  findPersonByAccount,
  isLinked,
  linkPerson,
  touchIdentity,
} from '../store/identity/providers/person-identities.ts'
import { markVerified } from '../store/identity/sign-in/person-passwords.ts'

export interface ProvisioningProvider extends ProviderIdentity {
  settings: ProviderPolicy
}

/** A provider or a proxy, which vouches for people. */
export interface ProvisioningSource {
  /** Null: it has no accounts of its own, so the address alone says who a person is. */
  provider_id: number | null
  /** Shown as the origin of its groups; only it changes who belongs to them. */
  origin: string
  settings: Omit<ProviderPolicy, keyof ClaimMapping>
}

export const sourceOf = (provider: ProvisioningProvider): ProvisioningSource => ({
  provider_id: provider.id,
  origin: originOf(provider),
  settings: provider.settings,
})

export interface Provisioned extends SignInResult {
  /** The person in the audit. */
  pseudonym: string
  /** Actions of the audit. */
  changes: string[]
}

/**
 * Runs in a transaction of the caller. A person is found by the account, else by the verified address, else created if
 * the provider may. SIGN_IN_REFUSED: a rule of the provider, or the state of the person, forbids the sign-in.
 */
export async function provision(
  trx: Queryable,
  source: ProvisioningSource,
  identity: VerifiedIdentity,
  now: number,
): Promise<Provisioned> {
  checkDomain(source.settings, identity)
  // Two sign-ins that both take the role of an administrator wait for each other.
  if (source.settings.role_mapping.length > 0) await lockAdministrators(trx)
  const { person, change } = await findOrCreatePerson(trx, source, identity, now)
  if (person.is_active === 0) throw new SignInError('suspended')
  const pseudonym = await getOrCreatePseudonym(trx, person.email)
  const changes = change === 'known' ? [] : [change === 'created' ? 'person.create' : 'person.link']
  if (person.name === null && identity.name !== null) await setPersonName(trx, person.id, identity.name, now)
  const { groups, refused, hasChanged } = await setGroups(trx, source, { person, identity, now })
  if (hasChanged) changes.push('person.groups')
  const kept_admin = !(await setMappedRole(trx, source.settings, { person, identity, now }))
  const after = (await findPerson(trx, person.id)) ?? person
  if (after.role !== person.role) changes.push('person.role')
  const { id, email, name, role } = after
  return { person: { id, email, name, role }, change, groups, refused_groups: refused, kept_admin, pseudonym, changes }
}

/** A rule about domains needs an address that the provider vouches for, also for people who are known. */
function checkDomain(policy: ProvisioningSource['settings'], { email, email_verified }: VerifiedIdentity): void {
  if (policy.allowed_domains.length === 0) return
  if (email === null) throw new SignInError('email_missing')
  if (!email_verified && !policy.trusts_emails) throw new SignInError('email_unverified')
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!policy.allowed_domains.includes(domain)) throw new SignInError('domain_not_allowed')
}

interface FoundPerson {
  person: StoredPerson
  change: SignInResult['change']
}

async function findOrCreatePerson(
  trx: Queryable,
  source: ProvisioningSource,
  identity: VerifiedIdentity,
  now: number,
): Promise<FoundPerson> {
  return (await tryFindOrCreate(trx, source, identity, now)) ?? (await findOrCreatePerson(trx, source, identity, now))
}

/** Undefined if another sign-in of the same person has just written: what it wrote can be found now. */
async function tryFindOrCreate(
  trx: Queryable,
  { provider_id, settings }: ProvisioningSource,
  { subject, email, email_verified, name }: VerifiedIdentity,
  now: number,
): Promise<FoundPerson | undefined> {
  const account = provider_id === null ? null : { provider_id, subject }
  const known = account === null ? undefined : await findPersonByAccount(trx, account)
  if (account !== null && known !== undefined) {
    await touchIdentity(trx, account, now)
    return { person: known, change: 'known' }
  }
  if (email === null) throw new SignInError('email_missing')
  const holder = await findPersonByEmail(trx, email)
  if (holder !== undefined) {
    // Without the provider's word, anybody could enter another person's address there.
    if (!email_verified) throw new SignInError('email_unverified')
    const change = await linkHolder(trx, account, holder, now)
    if (change === undefined) return undefined
    await markVerified(trx, holder.id, now)
    return { person: holder, change }
  }
  if (!email_verified && !settings.trusts_emails) throw new SignInError('email_unverified')
  if (!settings.creates_people) throw new SignInError('no_account')
  const created = { email, name, role: settings.default_role, is_verified: true, password_hash: null }
  const person = await insertNewPerson(trx, created, now)
  if (person === undefined) return undefined
  if (account === null || (await linkPerson(trx, account, person.id, now))) return { person, change: 'created' }
  // The account has just signed in with another address.
  await deleteNewPerson(trx, person.id)
  return undefined
}

async function linkHolder(
  trx: Queryable,
  account: AccountOfProvider | null,
  holder: StoredPerson,
  now: number,
): Promise<'linked' | 'known' | undefined> {
  if (account === null) return 'known'
  // Providers give addresses of people who left to others.
  if (await isLinked(trx, account.provider_id, holder.id)) throw new SignInError('other_account')
  return (await linkPerson(trx, account, holder.id, now)) ? 'linked' : undefined
}

interface ChangedPerson {
  person: StoredPerson
  identity: VerifiedIdentity
  now: number
}

async function setGroups(
  trx: Queryable,
  { origin, settings }: ProvisioningSource,
  { person, identity, now }: ChangedPerson,
): ReturnType<typeof setGroupsOfOrigin> {
  if (identity.groups === null) return { groups: [], refused: [], hasChanged: false }
  const names = identity.groups.map((it) => settings.group_prefix + it)
  return setGroupsOfOrigin(trx, { personId: person.id, origin, names }, now)
}

/** False if the person is the last administrator, and stays one against the mapping. */
async function setMappedRole(
  trx: Queryable,
  { role_mapping, default_role }: ProvisioningSource['settings'],
  { person, identity, now }: ChangedPerson,
): Promise<boolean> {
  if (role_mapping.length === 0) return true
  const matching: MappedRole[] = role_mapping.filter((it) => identity.roles.includes(it.value)).map((it) => it.role)
  const role: Role = ROLES.find((it) => matching.some((mapped) => mapped === it)) ?? default_role
  // A basic person who curates a group has the role `curator`.
  if (role === person.role || (role === 'basic' && person.role === 'curator')) return true
  if (await isLastAdmin(trx, person)) return false
  await trx.updateTable('person').set({ role, time_updated: now }).where('id', '=', person.id).execute()
  await alignCuratorRole(trx, person.id, now)
  return true
}
