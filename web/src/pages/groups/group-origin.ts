// Texts about the place that a group comes from, which alone changes its name and members.
const DIRECTORY = 'scim'
const PROXY = 'header'
const MANUAL = 'manual'
/** Begins the origin of groups that a sign-in provider reports; its name in URLs follows. */
const PROVIDER = /^(?:oidc|ldap|saml):/

export const isManual = (origin: string): boolean => origin === MANUAL

export function originLabel(origin: string): string {
  if (origin === MANUAL) return 'Made here'
  if (origin === DIRECTORY) return 'Directory (SCIM)'
  if (origin === PROXY) return 'Sign-in proxy'
  const provider = origin.replace(PROVIDER, '')
  return provider === origin ? `From ${origin}` : `Provider ${provider}`
}

/** A sentence that says what changes the group in our place. */
export function originReason(origin: string): string {
  if (origin === DIRECTORY) return 'The directory changes its name and members by SCIM: change them in the directory.'
  if (origin === PROXY) return 'The proxy that signs people in reports its members, with each sign-in.'
  const provider = origin.replace(PROVIDER, '')
  return provider === origin
    ? `Only “${origin}” changes its name and members.`
    : `The sign-in provider “${provider}” reports its members, with each sign-in.`
}
