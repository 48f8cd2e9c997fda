// The keys that secrets are sealed with; the keys themselves are never shown.
import { z } from 'zod'
import { WITHOUT_NUL, wireString } from '../../domain/wire.ts'
import { route } from '../route.ts'

const SecretKeys = z
  .object({
    keys: z.array(
      z
        .object({
          kid: z.string(),
          origin: z
            .enum(['SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'file'])
            .nullable()
            .describe('Where it comes from. Null: it is not here, another program on this database has it.'),
          is_newest: z.boolean().describe('Secrets are sealed with it.'),
          secrets: z.int().describe('How many secrets are sealed with it.'),
        })
        .meta({ id: 'SecretKeyState' }),
    ),
    is_rotating: z.boolean().describe('Whether secrets are being sealed with the newest key just now.'),
    unreadable: z.int().describe('Secrets that the last rotation could not open, and left as they are.'),
  })
  .meta({ id: 'SecretKeys' })

const keys = { access: 'admin', tag: 'Secret keys' } as const

export const secretKeyRoutes = [
  route({
    ...keys,
    method: 'GET',
    path: '/admin/secret-key',
    summary: 'List secret keys',
    description: 'The oldest first, with how many secrets are sealed with each.',
    reply: SecretKeys,
    handle: ({ services }) => services.secretKeys.list(),
  }),
  route({
    ...keys,
    method: 'POST',
    path: '/admin/secret-key/rotate',
    summary: 'Make a new secret key',
    description:
      'It seals from now on, and what is stored is sealed with it while the service goes on. The older keys stay until they are removed.',
    audit: { action: 'secret_key.rotate' },
    reply: SecretKeys,
    errors: ['SECRET_KEY_FROM_ENVIRONMENT', 'SECRET_KEY_ROTATING'],
    handle: ({ services: { secretKeys, logger }, subject: { user_id } }) => {
      secretKeys.rotate()
      logger.info({ user_id }, 'a new secret key was made')
      return secretKeys.list()
    },
  }),
  route({
    ...keys,
    method: 'DELETE',
    path: '/admin/secret-key/{kid}',
    summary: 'Remove a secret key',
    description:
      'One that nothing is sealed with any more. Backups from before need it still: keep it with them, it is a line of DATA_DIR/secret-key.',
    params: z.object({ kid: wireString({ max: 100, pattern: WITHOUT_NUL }) }),
    audit: { action: 'secret_key.remove', object: 'kid' },
    reply: SecretKeys,
    errors: ['SECRET_KEY_NOT_FOUND', 'SECRET_KEY_IN_USE', 'SECRET_KEY_FROM_ENVIRONMENT'],
    handle: async ({ params: { kid }, services: { secretKeys, logger }, subject: { user_id } }) => {
      await secretKeys.remove(kid)
      logger.info({ kid, user_id }, 'a secret key was removed')
      return secretKeys.list()
    },
  }),
]
