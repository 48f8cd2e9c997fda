// A credential in the form of the API, with masked secrets.
import { z } from 'zod'
import { maskDeep } from '../../domain/values/mask.ts'
import type { StoredCredential } from '../../store/sources/credentials.ts'
import { iso } from '../wire/iso.ts'

export const CredentialSnapshot = z
  .object({
    id: z.int(),
    credential_json: z.record(z.string(), z.unknown()).describe('Values are masked.'),
    admin_public: z.boolean(),
    curator_public: z.boolean(),
    groups: z.array(z.int()),
    source: z.string(),
    name: z.string().nullable(),
    user_id: z.string().nullable(),
    user_email: z.string().nullable(),
    allowed_origins: z
      .array(z.string())
      .describe(
        'Origins to which the credential may be sent, such as https://wiki.example. An address that is part of the credential is not listed.',
      ),
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
  allowed_origins: it.allowed_origins,
  time_created: iso(it.time_created),
  time_updated: iso(it.time_updated),
})
