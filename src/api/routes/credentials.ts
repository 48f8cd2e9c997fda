import { z } from 'zod'
import { accessType } from '../../domain/connector.ts'
import { unmaskDeep } from '../../domain/mask.ts'
import {
  nullish,
  pathInteger,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireObject,
  wireString,
} from '../../domain/wire.ts'
import { swapCredential } from '../../store/cc-pairs.ts'
import {
  abandonCredential,
  deleteCredential,
  getCredential,
  insertCredential,
  listCredentials,
  updateCredential,
} from '../../store/credentials.ts'
import { restartPairs } from '../../store/index-attempts.ts'
import { checkCredentialFields } from '../check-fields.ts'
import { CredentialSnapshot, credentialSnapshot } from '../credential-snapshot.ts'
import { PageQuery } from '../page.ts'
import { type Call, route } from '../route.ts'
import type { Services } from '../services.ts'
import { StatusResponse } from './connectors.ts'

const name = wireString({ max: 1_000, pattern: WITHOUT_NUL })
const source = wireString({ min: 1, max: 100, pattern: WITHOUT_NUL })

const CredentialRequest = z
  .object({
    credential_json: wireObject(),
    admin_public: wireBoolean(),
    curator_public: nullish(wireBoolean()),
    source,
    name: nullish(name),
    groups: nullish(wireArray(wireInteger())),
  })
  .meta({ id: 'CredentialBase' })

const CredentialUpdateRequest = z
  .object({ name, credential_json: wireObject() })
  .meta({ id: 'CredentialUpdateRequest' })

const CredentialSwapRequest = z
  .object({
    new_credential_id: wireInteger(),
    connector_id: wireInteger(),
    access_type: nullish(accessType).describe('The pair keeps the access it has.'),
  })
  .meta({ id: 'CredentialSwapRequest' })

const CredentialPath = z.object({ credential_id: pathInteger() })
type CredentialCall = Call<z.infer<typeof CredentialPath>, unknown, unknown>
const credentials = { access: 'connectors', tag: 'Credentials' } as const

const create = route({
  ...credentials,
  method: 'POST',
  path: '/manage/credential',
  audit: { action: 'credential.create', object: (_, made) => made.id },
  summary: 'Create credential',
  description: 'What is in it is kept encrypted and shown masked.',
  body: CredentialRequest,
  reply: z.object({ id: z.int(), credential: CredentialSnapshot }).meta({ id: 'CredentialCreationResponse' }),
  handle: async ({ body: { groups: _, ...body }, subject, services }) => {
    checkCredentialFields(services, body)
    const fields = { ...body, ...flagsOf(body) }
    const credential = await insertCredential(services, subject, fields, services.now())
    return { id: credential.id, credential: credentialSnapshot(credential) }
  },
})

const flagsOf = (it: { admin_public: boolean; curator_public: boolean | null }) => ({
  admin_public: it.admin_public ? (1 as const) : (0 as const),
  curator_public: it.curator_public === true ? (1 as const) : (0 as const),
})

const list = {
  ...credentials,
  method: 'GET',
  summary: 'List credentials',
  description:
    'Those that the key may use. Credential 0 is the empty one, for connectors that need none. Values are masked.',
  query: PageQuery,
  reply: z.array(CredentialSnapshot),
} as const

const get = route({
  ...credentials,
  method: 'GET',
  path: '/manage/credential/{credential_id}',
  summary: 'Get credential',
  params: CredentialPath,
  reply: CredentialSnapshot,
  errors: ['CREDENTIAL_NOT_FOUND'],
  handle: async ({ params, subject, services }) =>
    credentialSnapshot(await getCredential(services, subject, params.credential_id)),
})

const CHANGE_ERRORS = ['CREDENTIAL_NOT_FOUND', 'CREDENTIAL_BUILT_IN'] as const

const merge = route({
  ...credentials,
  method: 'PUT',
  path: '/manage/admin/credential/{credential_id}',
  audit: { action: 'credential.update', object: 'credential_id' },
  summary: 'Update credential',
  description: 'Fields that are sent take the place of those that are stored, the others stay; so does a masked value.',
  params: CredentialPath,
  body: CredentialUpdateRequest,
  reply: CredentialSnapshot,
  errors: CHANGE_ERRORS,
  handle: async ({ params, body, subject, services }) => {
    const credential = await updateCredential(
      services,
      subject,
      params.credential_id,
      ({ source, credential_json: stored }) => {
        const credential_json = { ...stored, ...unmaskDeep(body.credential_json, stored) }
        checkCredentialFields(services, { source, credential_json })
        return { name: body.name, credential_json, isHandedOver: true }
      },
      services.now(),
    )
    await tryAgain(services, credential.id)
    return credentialSnapshot(credential)
  },
})

/** Pairs that a source has turned away may be let in with what is new. */
async function tryAgain({ db, puller, now }: Services, credential_id: number): Promise<void> {
  await restartPairs(db, { credential_id }, now())
  puller.wake()
}

const replace = route({
  ...credentials,
  method: 'PATCH',
  path: '/manage/credential/{credential_id}',
  audit: { action: 'credential.replace', object: 'credential_id' },
  summary: 'Replace what is in a credential',
  description: 'Only `credential_json` changes. A masked value keeps the stored one.',
  params: CredentialPath,
  body: CredentialRequest,
  reply: CredentialSnapshot,
  errors: CHANGE_ERRORS,
  handle: async ({ params, body, subject, services }) => {
    const credential = await updateCredential(
      services,
      subject,
      params.credential_id,
      ({ source, credential_json: stored }) => {
        const credential_json = unmaskDeep(body.credential_json, stored)
        checkCredentialFields(services, { source, credential_json })
        return { credential_json, isHandedOver: false }
      },
      services.now(),
    )
    await tryAgain(services, credential.id)
    return credentialSnapshot(credential)
  },
})

const removal = {
  ...credentials,
  method: 'DELETE',
  params: CredentialPath,
  reply: StatusResponse,
} as const

const plainRemoval = {
  ...removal,
  audit: { action: 'credential.delete', object: 'credential_id' },
  summary: 'Delete credential',
  description: 'One that no connector uses.',
  errors: [...CHANGE_ERRORS, 'CREDENTIAL_IN_USE'],
  handle: async ({ params, subject, services }: CredentialCall) => {
    await deleteCredential(services, subject, params.credential_id)
    return deleted(params.credential_id)
  },
} as const

const forcedRemoval = route({
  ...removal,
  path: '/manage/credential/force/{credential_id}',
  audit: { action: 'credential.abandon', object: 'credential_id' },
  summary: 'Delete credential and what was read with it',
  description:
    'The secret is gone with the answer. Its connector-credential pairs, and the documents that belong to no other, go a moment later.',
  errors: CHANGE_ERRORS,
  handle: async ({ params, subject, services, requestId }) => {
    await abandonCredential(services, subject, params.credential_id, requestId)
    services.deletions.wake()
    return deleted(params.credential_id)
  },
})

const deleted = (id: number) => ({ success: true, message: 'Credential deleted successfully', data: id })

const swap = route({
  ...credentials,
  method: 'PUT',
  path: '/manage/admin/credential/swap',
  audit: { action: 'cc_pair.swap_credential', object: ({ body }) => `connector ${body.connector_id}` },
  summary: 'Give a connector another credential',
  description: 'Answers the id of the connector-credential pair as `data`.',
  body: CredentialSwapRequest,
  reply: StatusResponse,
  errors: [
    'CREDENTIAL_NOT_FOUND',
    'CONNECTOR_NOT_FOUND',
    'CC_PAIR_NOT_FOUND',
    'CONFLICT',
    'INVALID_INPUT',
    'CONNECTOR_BUILT_IN',
  ],
  handle: async ({ body, subject, services }) => {
    const credential = await getCredential(services, subject, body.new_credential_id)
    const data = await swapCredential(services.db, body.connector_id, credential)
    await tryAgain(services, credential.id)
    return { success: true, message: 'Credential swapped successfully', data }
  },
})

const similar = route({
  ...list,
  path: '/manage/admin/similar-credentials/{source}',
  summary: 'List credentials of a source',
  params: z.object({ source }),
  handle: async ({ params, query, subject, services }) =>
    (await listCredentials(services, subject, query, params.source)).map(credentialSnapshot),
})

const listAt = (path: string) =>
  route({
    ...list,
    path,
    handle: async ({ query, subject, services }) =>
      (await listCredentials(services, subject, query)).map(credentialSnapshot),
  })

export const credentialRoutes = [
  create,
  listAt('/manage/admin/credential'),
  listAt('/manage/credential'),
  similar,
  swap,
  get,
  merge,
  replace,
  route({ ...plainRemoval, path: '/manage/credential/{credential_id}' }),
  route({ ...plainRemoval, path: '/manage/admin/credential/{credential_id}' }),
  forcedRemoval,
]
