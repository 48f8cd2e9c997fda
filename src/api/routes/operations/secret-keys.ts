// Keys that encrypt stored secrets. The keys themselves are never returned.
import { z } from 'zod'
import { WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const SecretKeys = z
  .object({
    keys: z.array(
      z
        .object({
          kid: z.string(),
          origin: z
            .enum(['SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'file'])
            .nullable()
            .describe('Where the key comes from. Null if only another process on the same database has it.'),
          is_newest: z.boolean().describe('Whether new secrets are encrypted with this key.'),
          secrets: z.int().describe('Number of secrets encrypted with this key.'),
        })
        .meta({ id: 'SecretKeyState' }),
    ),
    is_rotating: z.boolean().describe('Whether stored secrets are currently being re-encrypted with the newest key.'),
    unreadable: z
      .int()
      .describe('Number of secrets that the last rotation could not decrypt. They were left unchanged.'),
  })
  .meta({ id: 'SecretKeys' })

const secretKeyDefaults = { access: 'admin', tag: 'Secret keys' } as const

export const secretKeyRoutes = [
  route({
    ...secretKeyDefaults,
    name: 'listSecretKeys',
    method: 'GET',
    path: '/admin/secret-key',
    summary: 'List secret keys',
    description: 'Oldest first, with the number of secrets that each key encrypts.',
    reply: SecretKeys,
    services: ['secretKeys'],
    handle: ({ services }) => services.secretKeys.list(),
  }),
  route({
    ...secretKeyDefaults,
    name: 'rotateSecretKey',
    method: 'POST',
    path: '/admin/secret-key/rotate',
    summary: 'Rotate secret key',
    description:
      'Creates a key that encrypts new secrets, and re-encrypts stored secrets in the background. Older keys remain until they are deleted.',
    audit: { action: 'secret_key.rotate' },
    reply: SecretKeys,
    errors: ['SECRET_KEY_FROM_ENVIRONMENT', 'SECRET_KEY_ROTATING'],
    services: ['secretKeys', 'logger'],
    handle: ({ services: { secretKeys, logger }, subject: { user_id } }) => {
      secretKeys.rotate()
      logger.info({ user_id }, 'secret key rotated')
      return secretKeys.list()
    },
  }),
  route({
    ...secretKeyDefaults,
    name: 'deleteSecretKey',
    method: 'DELETE',
    path: '/admin/secret-key/{kid}',
    summary: 'Delete secret key',
    description:
      'The key must not encrypt any secrets. Older backups still need the key: keep its line of DATA_DIR/secret-key with them.',
    params: z.object({ kid: wireString({ max: 100, pattern: WITHOUT_NUL }) }),
    audit: { action: 'secret_key.remove', object: 'kid' },
    reply: SecretKeys,
    errors: ['SECRET_KEY_NOT_FOUND', 'SECRET_KEY_IN_USE', 'SECRET_KEY_FROM_ENVIRONMENT'],
    services: ['secretKeys', 'logger'],
    handle: async ({ params: { kid }, services: { secretKeys, logger }, subject: { user_id } }) => {
      await secretKeys.remove(kid)
      logger.info({ kid, user_id }, 'secret key deleted')
      return secretKeys.list()
    },
  }),
]
