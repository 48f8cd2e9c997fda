// A credential as several routes show it: its secrets masked.
import { z } from 'zod'
import { maskDeep } from '../domain/mask.ts'
import type { StoredCredential } from '../store/credentials.ts'
import { iso } from './iso.ts'

export const CredentialSnapshot = z
  .object({
    id: z.int(),
    credential_json: z.record(z.string(), z.unknown()).describe('Its values masked.'),
    admin_public: z.boolean(),
    curator_public: z.boolean(),
    groups: z.array(z.int()),
    source: z.string(),
    name: z.string().nullable(),
    user_id: z.string().nullable(),
    user_email: z.string().nullable(),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
  })
  .meta({ id: 'CredentialSnapshot' })

export const credentialSnapshot = (it: StoredCredential): z.infer<typeof CredentialSnapshot> => ({
  id: it.id,
  credential_json: maskDeep(it.credential_json),
  admin_public: it.admin_public === 1,
  curator_public: it.curator_public === 1,
  groups: [],
  source: it.source,
  name: it.name,
  user_id: it.user_id,
  user_email: it.user_email,
  time_created: iso(it.time_created),
  time_updated: iso(it.time_updated),
})
