// People, API keys, tokens, sessions and the audit log.
import type { ServiceConfig } from '../../config.ts'
import { sourceFacts } from '../../connectors/source-facts.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Egress } from '../../egress/egress.ts'
import { type AuditLog, openAuditLog } from '../../identity/audit-log.ts'
import { type AccessTokens, openAccessTokens } from '../../identity/keys/access-tokens.ts'
import { type ApiKeys, openApiKeys } from '../../identity/keys/api-keys.ts'
import { type CallTokens, openCallTokens } from '../../identity/keys/call-tokens.ts'
import { openScimTokens, type ScimTokens } from '../../identity/keys/scim-tokens.ts'
import { openPasskeys, type Passkeys } from '../../identity/passkeys/passkeys.ts'
import { type AccountLinks, openAccountLinks } from '../../identity/passwords/account-links.ts'
import { type Accounts, openAccounts } from '../../identity/passwords/accounts.ts'
import { createAttemptLimiter } from '../../identity/passwords/attempt-limiter.ts'
import { type LinkRequests, openLinkRequests } from '../../identity/passwords/link-requests.ts'
import { createPasswords } from '../../identity/passwords/passwords.ts'
import { type AccessReports, createAccessReports } from '../../identity/report/access-reports.ts'
import { openRequestLimits, type RequestLimits } from '../../identity/request-limits.ts'
import { openSecondFactors, type SecondFactors } from '../../identity/second-factor/second-factors.ts'
import { openSessions, type Sessions } from '../../identity/sessions.ts'
import { type Mail, openMail } from '../../mail/mail.ts'
import { type HeaderSignIn, openHeaderSignIn } from '../../sign-in/header-sign-in.ts'
import { type LdapSignIns, openLdapSignIns } from '../../sign-in/ldap/ldap-sign-ins.ts'
import { type OidcSignIns, openOidcSignIns } from '../../sign-in/oidc/oidc-sign-ins.ts'
import { openPendingSignIns, type PendingSignIns } from '../../sign-in/pending-sign-ins.ts'
import { openSamlSignIns, type SamlSignIns } from '../../sign-in/saml/saml-sign-ins.ts'
import { openXmlReader } from '../../sign-in/saml/xml-reader.ts'
import { openSignIns, type SignIns } from '../../sign-in/sign-ins.ts'
import type { Database } from '../../store/database/database.ts'
import { createPeopleOfKeys } from '../../store/identity/people-of-keys.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { removeFirstAdminLink } from '../first-admin-link.ts'

/** People wait for a directory. */
const LDAP_ANSWER_MS = 10_000

export interface Identity {
  keys: ApiKeys
  tokens: AccessTokens
  callTokens: CallTokens
  scimTokens: ScimTokens
  sessions: Sessions
  headerSignIn: HeaderSignIn
  requestLimits: RequestLimits
  audit: AuditLog
  accessReports: AccessReports
  accounts: Accounts
  accountLinks: AccountLinks
  mail: Mail
  linkRequests: LinkRequests
  secondFactors: SecondFactors
  passkeys: Passkeys
  pendingSignIns: PendingSignIns
  signIns: SignIns
  oidc: OidcSignIns
  ldap: LdapSignIns
  saml: SamlSignIns
  close(): Promise<void>
}

interface IdentityDeps {
  db: Database
  secrets: SecretBox
  egress: Egress
  logger: Logger
  now: () => number
}

export async function openIdentity(
  { adminApiKey, dataDir, mail: mailSettings, sessionLifetimes, headerSignIn: headerSettings }: ServiceConfig,
  { db, secrets, egress, logger, now }: IdentityDeps,
): Promise<Identity> {
  const found = await createPeopleOfKeys(db, now())
  if (found !== null) {
    const { merged, ...counts } = found
    logger.info({ ...counts, merged: merged.length }, 'people and groups created from the API keys')
    // No log holds an address.
    if (merged.length > 0)
      logger.warn({ people: merged }, 'keys with addresses that differ only in case act for one person now')
  }
  const keys = openApiKeys({ db, adminApiKey, now })
  const tokens = openAccessTokens({ db, adminApiKey, now })
  const callTokens = openCallTokens({ db, tokens, now })
  const scimTokens = openScimTokens({ db, now })
  const sessions = openSessions({ db, keys, tokens, lifetimes: sessionLifetimes, now })
  const passwords = createPasswords()
  const attempts = createAttemptLimiter({ now })
  const secondFactors = openSecondFactors({ db, secrets, now })
  const passkeys = openPasskeys({ db, now })
  const signIn = { db, passwords, secondFactors, attempts, now }
  const accounts = openAccounts(signIn)
  const accountLinks = openAccountLinks({ ...signIn, onFirstAdmin: () => removeFirstAdminLink(dataDir) })
  const audit = openAuditLog({ db, logger, now })
  const mail = openMail(mailSettings, { logger })
  const linkRequests = openLinkRequests({ db, accountLinks, mail, audit, logger, now })
  const pendingSignIns = openPendingSignIns({ db, secrets, now })
  const signIns = openSignIns({ db, secrets, sessions, audit, logger, now })
  const headerSignIn = openHeaderSignIn({ db, tokens, audit, domains: headerSettings?.domains ?? [], now })
  const requestLimits = openRequestLimits({ db, now })
  await requestLimits.load()
  const accessReports = createAccessReports({ db, sourceFacts, logger, now })
  return {
    keys,
    tokens,
    callTokens,
    scimTokens,
    sessions,
    headerSignIn,
    requestLimits,
    audit,
    accessReports,
    accounts,
    accountLinks,
    mail,
    linkRequests,
    secondFactors,
    passkeys,
    pendingSignIns,
    signIns,
    oidc: openOidcSignIns({ db, secrets, egress, pendingSignIns, signIns, sessions, logger, now }),
    ldap: openLdapSignIns({ db, secrets, egress, signIns, attempts, timeoutMs: LDAP_ANSWER_MS }),
    saml: openSamlSignIns({ db, secrets, egress, pendingSignIns, signIns, xmlReader: openXmlReader(), now }),
    async close() {
      await accessReports.close()
      await linkRequests.close()
      await mail.close()
      await keys.flushLastUsed()
      await tokens.flushLastUsed()
      await scimTokens.flushLastUsed()
      await sessions.maintain()
      await headerSignIn.maintain()
    },
  }
}
