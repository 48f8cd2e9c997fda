import { join } from 'node:path'
import type { ServiceConfig } from '../config.ts'
import { firstAdminLinkFile } from './first-admin-link.ts'

/** The first lines on standard output; they show a new administrator key once. */
export function startMessage(
  { isNewAdminApiKey, adminApiKey, dataDir }: ServiceConfig,
  url: string,
  firstAdminLink: string | null,
): string {
  const lines = [`Pharos listens at ${url}   (reference: ${url}/docs)`]
  if (isNewAdminApiKey) {
    lines.push(`Administrator key, shown this once and kept in ${join(dataDir, 'admin-api-key')}:`, adminApiKey)
  }
  if (firstAdminLink !== null) {
    lines.push(
      `No administrator can sign in yet. Open this link within an hour, also kept in ${firstAdminLinkFile(dataDir)}:`,
    )
    lines.push(firstAdminLink)
  }
  return lines.join('\n')
}
