import { z } from 'zod'
import { listCredentials, type StoredCredential } from '../../store/credentials.ts'
import { iso } from '../iso.ts'
import { route } from '../route.ts'

const CredentialSnapshot = z
  .object({
    id: z.int(),
    credential_json: z.record(z.string(), z.unknown()),
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

const snapshot = (row: StoredCredential): z.infer<typeof CredentialSnapshot> => ({
  id: row.id,
  credential_json: JSON.parse(row.credential_json),
  admin_public: row.admin_public === 1,
  curator_public: row.curator_public === 1,
  groups: [],
  source: row.source,
  name: row.name,
  user_id: row.user_id,
  user_email: row.user_email,
  time_created: iso(row.time_created),
  time_updated: iso(row.time_updated),
})

export const credentialRoutes = [
  route({
    method: 'GET',
    path: '/manage/admin/credential',
    access: 'connectors',
    tag: 'Credentials',
    summary: 'List credentials',
    description: 'Credential 0 is the empty one, for connectors that need none.',
    reply: z.array(CredentialSnapshot),
    handle: async ({ services }) => (await listCredentials(services.db)).map(snapshot),
  }),
]
