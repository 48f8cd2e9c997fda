// Texts about the place that a group comes from, which alone changes its name and members.
import { textsOf } from '../../text/texts.ts'

const DIRECTORY = 'scim'
const PROXY = 'header'
const MANUAL = 'manual'
/** Begins the origin of groups that a sign-in provider reports; its name in URLs follows. */
const PROVIDER = /^(?:oidc|ldap|saml):/

export const isManual = (origin: string): boolean => origin === MANUAL

export function originLabel(origin: string): string {
  const t = textsOf('admin.groups.origins')
  if (origin === MANUAL) return t('manual')
  if (origin === DIRECTORY) return t('directory')
  if (origin === PROXY) return t('proxy')
  const name = origin.replace(PROVIDER, '')
  return t(name === origin ? 'other' : 'provider', { name })
}

/** A sentence that says what changes the group in our place. */
export function originReason(origin: string): string {
  const t = textsOf('admin.groups.reasons')
  if (origin === DIRECTORY) return t('directory')
  if (origin === PROXY) return t('proxy')
  const name = origin.replace(PROVIDER, '')
  return t(name === origin ? 'other' : 'provider', { name })
}
