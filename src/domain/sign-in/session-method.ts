// How a browser session began.
export const SESSION_METHODS = ['key', 'password', 'link', 'passkey', 'oidc', 'saml', 'ldap'] as const
export type SessionMethod = (typeof SESSION_METHODS)[number]
