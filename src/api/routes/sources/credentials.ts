import { z } from 'zod'
import { accessType } from '../../../domain/connector.ts'
import { unmaskDeep } from '../../../domain/values/mask.ts'
import { originList } from '../../../domain/values/origin.ts'
import { replaceCredential } from '../../../store/sources/cc-pairs.ts'
import { addAllowedOrigins } from '../../../store/sources/credential-origins.ts'
import {
  deleteCredential,
  deleteCredentialWithPairs,
  getCredential,
  insertCredential,
  listCredentials,
  updateCredential,
} from '../../../store/sources/credentials.ts'
import { restartPairs } from '../../../store/sources/index-attempts.ts'
import { getManagedConnector } from '../../../store/sources/managed-pairs.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireDateTime,
  wireInteger,
  wireName,
  wireObject,
  wirePathInteger,
  wireString,
} from '../../../wire/schemas.ts'
import { checkCredentialFields } from '../../checks/connector-config.ts'
import { checkCredentialOrigins } from '../../checks/credential-origins.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'
import { CredentialSnapshot, credentialSnapshot } from '../../views/credential-snapshot.ts'
import { PageQuery } from '../../wire/page.ts'
import { StatusResponse } from './connectors.ts'

const name = wireName()
const source = wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })

const allowed_origins = nullish(originList()).describe(
  'Origins the credential may be sent to, such as https://wiki.example, http://host:8080 or imaps://mail.example. Default: wherever its owner or an administrator uses it.',
)

const CredentialRequest = z
  .object({
    credential_json: wireObject(),
    admin_public: wireBoolean(),
    curator_public: nullish(wireBoolean()),
    source,
    name: nullish(name),
    groups: nullish(wireArray(wireInteger())),
    allowed_origins,
  })
  .meta({ id: 'CredentialBase' })

const expected_time_updated = nullish(wireDateTime()).describe(
  '`time_updated` as the client knows it. 409 if the credential was changed since. Default: not checked.',
)

const CredentialUpdateRequest = z
  .object({ name, credential_json: wireObject(), allowed_origins, expected_time_updated })
  .meta({ id: 'CredentialUpdateRequest' })

const CredentialSwapRequest = z
  .object({
    new_credential_id: wireInteger(),
    connector_id: wireInteger(),
    access_type: nullish(accessType).describe('Ignored: the pair keeps its access type.'),
  })
  .meta({ id: 'CredentialSwapRequest' })

const CredentialPath = z.object({ credential_id: wirePathInteger() })
type CredentialCall = RouteCall<z.infer<typeof CredentialPath>, unknown, unknown, 'db' | 'secrets' | 'sourceFacts'>
const credentialDefaults = { access: ['connectors', 'curate'], tag: 'Credentials' } as const

const createCredentialRoute = route({
  ...credentialDefaults,
  name: 'createCredential',
  method: 'POST',
  path: '/manage/credential',
  audit: { action: 'credential.create', object: (_, created) => created.id },
  summary: 'Create credential',
  description: 'Values are stored encrypted and returned masked.',
  body: CredentialRequest,
  reply: z.object({ id: z.int(), credential: CredentialSnapshot }).meta({ id: 'CredentialCreationResponse' }),
  services: ['db', 'secrets', 'connectorRunner', 'now'],
  handle: async ({ body: { groups: _, ...body }, subject, services, warn }) => {
    checkCredentialFields(services, body, warn)
    const fields = { ...body, ...visibilityFlags(body), allowed_origins: body.allowed_origins ?? [] }
    const credential = await insertCredential(services, subject, fields, services.now())
    return { id: credential.id, credential: credentialSnapshot(credential) }
  },
})

const visibilityFlags = (it: { admin_public: boolean; curator_public: boolean | null }) => ({
  admin_public: it.admin_public ? (1 as const) : (0 as const),
  curator_public: it.curator_public === true ? (1 as const) : (0 as const),
})

const listDefaults = {
  ...credentialDefaults,
  method: 'GET',
  summary: 'List credentials',
  description:
    'Lists the credentials that the key may use. Credential 0 is empty, for connectors that need none. Values are masked.',
  query: PageQuery,
  reply: z.array(CredentialSnapshot),
} as const

const getCredentialRoute = route({
  ...credentialDefaults,
  name: 'getCredential',
  method: 'GET',
  path: '/manage/credential/{credential_id}',
  summary: 'Get credential',
  params: CredentialPath,
  reply: CredentialSnapshot,
  errors: ['CREDENTIAL_NOT_FOUND'],
  services: ['db', 'secrets', 'sourceFacts'],
  handle: async ({ params, subject, services }) =>
    credentialSnapshot(await getCredential(services, subject, params.credential_id)),
})

const CHANGE_ERRORS = ['CREDENTIAL_NOT_FOUND', 'CREDENTIAL_BUILT_IN'] as const
const CHECKED_CHANGE_ERRORS = [...CHANGE_ERRORS, 'CREDENTIAL_CHANGED'] as const

const updateCredentialRoute = route({
  ...credentialDefaults,
  name: 'updateCredential',
  method: 'PUT',
  path: '/manage/admin/credential/{credential_id}',
  audit: { action: 'credential.update', object: 'credential_id' },
  summary: 'Update credential',
  description: 'Fields that are sent replace the stored ones; absent fields and masked values are unchanged.',
  params: CredentialPath,
  body: CredentialUpdateRequest,
  reply: CredentialSnapshot,
  errors: CHECKED_CHANGE_ERRORS,
  services: ['db', 'secrets', 'connectorRunner', 'now', 'sourceFacts'],
  handle: async ({ params, body, subject, services, warn }) => {
    const credential = await updateCredential(
      services,
      subject,
      params.credential_id,
      ({ source, credential_json: stored }) => {
        const credential_json = { ...stored, ...unmaskDeep(body.credential_json, stored) }
        checkCredentialFields(services, { source, credential_json }, warn)
        const { name, allowed_origins, expected_time_updated } = body
        return { name, credential_json, allowed_origins, expected_time_updated, isHandedOver: true }
      },
      services.now(),
    )
    await restartCredentialPairs(services, credential.id)
    return credentialSnapshot(credential)
  },
})

/** Restarts pairs that failed with the old credential. */
async function restartCredentialPairs(
  { db, connectorRunner, now }: RouteServices<'db' | 'connectorRunner' | 'now'>,
  credential_id: number,
): Promise<void> {
  await restartPairs(db, { credential_id }, now())
  connectorRunner.wake()
}

const replaceCredentialRoute = route({
  ...credentialDefaults,
  name: 'replaceCredential',
  method: 'PATCH',
  path: '/manage/credential/{credential_id}',
  audit: { action: 'credential.replace', object: 'credential_id' },
  summary: 'Replace credential',
  description: 'Replaces `credential_json`, and `allowed_origins` if sent. Masked values keep the stored value.',
  params: CredentialPath,
  body: CredentialRequest,
  reply: CredentialSnapshot,
  errors: CHANGE_ERRORS,
  services: ['db', 'secrets', 'connectorRunner', 'now', 'sourceFacts'],
  handle: async ({ params, body, subject, services, warn }) => {
    const credential = await updateCredential(
      services,
      subject,
      params.credential_id,
      ({ source, credential_json: stored }) => {
        const credential_json = unmaskDeep(body.credential_json, stored)
        checkCredentialFields(services, { source, credential_json }, warn)
        const { allowed_origins } = body
        return { credential_json, allowed_origins, expected_time_updated: null, isHandedOver: false }
      },
      services.now(),
    )
    await restartCredentialPairs(services, credential.id)
    return credentialSnapshot(credential)
  },
})

const setAllowedOriginsRoute = route({
  ...credentialDefaults,
  name: 'setAllowedOrigins',
  method: 'PUT',
  path: '/manage/credential/{credential_id}/allowed-origins',
  audit: { action: 'credential.allow_origins', object: 'credential_id' },
  summary: 'Set allowed origins',
  description:
    'Replaces the whole list. Only the owner and administrators can do this. Connectors with other addresses fail until their origin is in the list.',
  params: CredentialPath,
  body: z.object({ allowed_origins: originList(), expected_time_updated }).meta({ id: 'AllowedOriginsRequest' }),
  reply: CredentialSnapshot,
  errors: CHECKED_CHANGE_ERRORS,
  services: ['db', 'secrets', 'connectorRunner', 'now', 'sourceFacts'],
  handle: async ({ params, body: { allowed_origins, expected_time_updated }, subject, services }) => {
    const credential = await updateCredential(
      services,
      subject,
      params.credential_id,
      ({ credential_json }) => ({ credential_json, allowed_origins, expected_time_updated, isHandedOver: false }),
      services.now(),
    )
    await restartCredentialPairs(services, credential.id)
    return credentialSnapshot(credential)
  },
})

const deleteDefaults = {
  ...credentialDefaults,
  method: 'DELETE',
  params: CredentialPath,
  reply: StatusResponse,
} as const

const deleteDefinition = {
  ...deleteDefaults,
  audit: { action: 'credential.delete', object: 'credential_id' },
  summary: 'Delete credential',
  description: 'The credential must not be in use by a connector.',
  errors: [...CHANGE_ERRORS, 'CREDENTIAL_IN_USE'],
  services: ['db', 'secrets', 'sourceFacts'],
  handle: async ({ params, subject, services }: CredentialCall) => {
    await deleteCredential(services, subject, params.credential_id)
    return deletedResponse(params.credential_id)
  },
} as const

const forceDeleteCredentialRoute = route({
  ...deleteDefaults,
  name: 'forceDeleteCredential',
  path: '/manage/credential/force/{credential_id}',
  audit: { action: 'credential.abandon', object: 'credential_id' },
  summary: 'Delete credential and its documents',
  description:
    'Deletes the secret immediately. Its connector-credential pairs, and the documents that belong to no other pair, are deleted in the background.',
  errors: [...CHANGE_ERRORS, 'NOT_CURATED'],
  services: ['db', 'secrets', 'deletions', 'sourceFacts'],
  handle: async ({ params, subject, services, requestId }) => {
    await deleteCredentialWithPairs(services, subject, params.credential_id, requestId)
    services.deletions.wake()
    return deletedResponse(params.credential_id)
  },
})

const deletedResponse = (id: number) => ({ success: true, message: 'Credential deleted successfully', data: id })

const swapCredentialRoute = route({
  ...credentialDefaults,
  name: 'swapCredential',
  method: 'PUT',
  path: '/manage/admin/credential/swap',
  audit: { action: 'cc_pair.swap_credential', object: ({ body }) => `connector ${body.connector_id}` },
  summary: 'Swap credential',
  description: 'Returns the id of the connector-credential pair as `data`.',
  body: CredentialSwapRequest,
  reply: StatusResponse,
  errors: [
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_ORIGIN_REFUSED',
    'CREDENTIAL_NOT_YOURS',
    'CONNECTOR_NOT_FOUND',
    'CC_PAIR_NOT_FOUND',
    'CONFLICT',
    'INVALID_INPUT',
    'CONNECTOR_BUILT_IN',
    'NOT_CURATED',
  ],
  services: ['db', 'secrets', 'connectorRunner', 'now', 'sourceFacts'],
  handle: async ({ body, subject, services }) => {
    const credential = await getCredential(services, subject, body.new_credential_id)
    const connector = await getManagedConnector(services.db, subject, body.connector_id)
    const connector_specific_config = JSON.parse(connector.connector_specific_config)
    const { added } = checkCredentialOrigins(services, subject, credential, { ...connector, connector_specific_config })
    await addAllowedOrigins(services.db, credential.id, added)
    const data = await replaceCredential(services, body.connector_id, credential, subject)
    await restartCredentialPairs(services, credential.id)
    return { success: true, message: 'Credential swapped successfully', data }
  },
})

const listCredentialsBySourceRoute = route({
  ...listDefaults,
  name: 'listCredentialsBySource',
  path: '/manage/admin/similar-credentials/{source}',
  summary: 'List credentials by source',
  params: z.object({ source }),
  services: ['db', 'secrets', 'sourceFacts'],
  handle: async ({ params, query, subject, services }) =>
    (await listCredentials(services, subject, query, params.source)).map(credentialSnapshot),
})

const listCredentialsRoute = (name: string, path: string) =>
  route({
    ...listDefaults,
    name,
    path,
    services: ['db', 'secrets', 'sourceFacts'],
    handle: async ({ query, subject, services }) =>
      (await listCredentials(services, subject, query)).map(credentialSnapshot),
  })

export const credentialRoutes = [
  createCredentialRoute,
  listCredentialsRoute('listCredentialsAlias', '/manage/admin/credential'),
  listCredentialsRoute('listCredentials', '/manage/credential'),
  listCredentialsBySourceRoute,
  swapCredentialRoute,
  getCredentialRoute,
  updateCredentialRoute,
  replaceCredentialRoute,
  setAllowedOriginsRoute,
  route({ ...deleteDefinition, name: 'deleteCredential', path: '/manage/credential/{credential_id}' }),
  route({ ...deleteDefinition, name: 'deleteCredentialAlias', path: '/manage/admin/credential/{credential_id}' }),
  forceDeleteCredentialRoute,
]
