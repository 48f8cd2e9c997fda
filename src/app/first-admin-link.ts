// The link with which the first administrator gets an account: printed at the start and kept in a file until it is used.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceConfig } from '../config.ts'
import type { Logger } from '../domain/logger.ts'
import type { AccountLinks } from '../identity/passwords/account-links.ts'

export const firstAdminLinkFile = (dataDir: string): string => join(dataDir, 'first-admin-link')

/**
 * Null if an administrator can sign in already, or the link cannot be stored: a full disk does not stop searches, so it
 * does not stop the start either.
 */
export async function offerFirstAdminLink(
  config: Pick<ServiceConfig, 'dataDir' | 'publicUrl'>,
  { links, url, logger }: { links: Pick<AccountLinks, 'createFirstAdminIfNeeded'>; url: string; logger: Logger },
): Promise<string | null> {
  try {
    return await storeFirstAdminLink(config, links, url)
  } catch (err) {
    logger.warn({ err }, 'the link for the first administrator cannot be stored: run `pharos first-admin` later')
    return null
  }
}

/** Only the user of the service can read the file. */
async function storeFirstAdminLink(
  { dataDir, publicUrl }: Pick<ServiceConfig, 'dataDir' | 'publicUrl'>,
  links: Pick<AccountLinks, 'createFirstAdminIfNeeded'>,
  url: string,
): Promise<string | null> {
  // A file that exists keeps its mode.
  removeFirstAdminLink(dataDir)
  const issued = await links.createFirstAdminIfNeeded()
  if (issued === null) return null
  const link = (publicUrl ?? url) + issued.path
  writeFileSync(firstAdminLinkFile(dataDir), `${link}\n`, { mode: 0o600, flag: 'wx' })
  return link
}

export const removeFirstAdminLink = (dataDir: string): void => rmSync(firstAdminLinkFile(dataDir), { force: true })
