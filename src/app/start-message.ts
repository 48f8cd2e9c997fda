import { join } from 'node:path'
import type { ServiceConfig } from '../config.ts'

/** The first lines on standard output; they show a new administrator key once. */
export function startMessage({ isNewAdminApiKey, adminApiKey, dataDir }: ServiceConfig, url: string): string {
  const lines = [`Pharos listens at ${url}   (reference: ${url}/docs)`]
  if (isNewAdminApiKey) {
    lines.push(`Administrator key, shown this once and kept in ${join(dataDir, 'admin-api-key')}:`, adminApiKey)
  }
  return lines.join('\n')
}
