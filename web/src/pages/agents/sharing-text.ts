import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

/** Says who may use an agent. People who may not change it learn no more than that it is shared. */
export function sharingText({ is_public, sharing_status, users, groups, owner }: MinimalPersonaSnapshot): string {
  const t = textsOf('agents.sharing')
  if (is_public) return t('public')
  if (sharing_status === 'PRIVATE') return owner === null ? t('nobody') : t('private')
  if (users.length === 0 && groups.length === 0) return t('shared')
  return t('shared_with', { people: users.length, groups: groups.length })
}

/** A key that acts for nobody has no address, and people who may not change the agent do not learn the address. */
export function ownerName({ owner, permissions }: MinimalPersonaSnapshot): string {
  const t = textsOf('agents')
  if (owner === null) return t('built_in')
  if (!owner.email.endsWith('@key.invalid')) return owner.email
  return t(permissions.edit ? 'owner_key' : 'owner_other')
}
