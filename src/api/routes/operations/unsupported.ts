// Paths of the existing server that this service does not support; they respond with the reason.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { wireString } from '../../../wire/schemas.ts'
import { type AnyRoute, type HttpMethod, route } from '../../route.ts'

const NO_IMAGE_GENERATION = 'This service does not generate images. Disable image generation in the client.'
const NO_FEDERATED_SEARCH =
  'This service does not support federated search; it only searches its index. Create a connector for the source with POST /manage/admin/connector.'
const SINGLE_TENANT =
  'This service has a single tenant. Run another instance with its own DATA_DIR for another organisation.'

const UNSUPPORTED_PATHS: readonly (readonly [HttpMethod, string, string])[] = [
  ['GET', '/admin/image-generation/config', NO_IMAGE_GENERATION],
  ['POST', '/admin/image-generation/config', NO_IMAGE_GENERATION],
  ['PUT', '/admin/image-generation/config/{image_provider_id}', NO_IMAGE_GENERATION],
  ['DELETE', '/admin/image-generation/config/{image_provider_id}', NO_IMAGE_GENERATION],
  ['GET', '/admin/image-generation/config/{image_provider_id}/credentials', NO_IMAGE_GENERATION],
  ['POST', '/admin/image-generation/config/{image_provider_id}/default', NO_IMAGE_GENERATION],
  ['DELETE', '/admin/image-generation/config/{image_provider_id}/default', NO_IMAGE_GENERATION],
  ['POST', '/admin/image-generation/test', NO_IMAGE_GENERATION],
  ['GET', '/federated', NO_FEDERATED_SEARCH],
  ['POST', '/federated', NO_FEDERATED_SEARCH],
  ['GET', '/federated/oauth-status', NO_FEDERATED_SEARCH],
  ['GET', '/federated/{federated_id}', NO_FEDERATED_SEARCH],
  ['PUT', '/federated/{federated_id}', NO_FEDERATED_SEARCH],
  ['DELETE', '/federated/{federated_id}', NO_FEDERATED_SEARCH],
  ['GET', '/federated/{federated_id}/entities', NO_FEDERATED_SEARCH],
  ['GET', '/federated/{federated_id}/authorize', NO_FEDERATED_SEARCH],
  ['DELETE', '/federated/{federated_id}/oauth', NO_FEDERATED_SEARCH],
  ['GET', '/federated/sources/{source}/configuration/schema', NO_FEDERATED_SEARCH],
  ['GET', '/federated/sources/{source}/credentials/schema', NO_FEDERATED_SEARCH],
  ['POST', '/tenants/create', SINGLE_TENANT],
  ['POST', '/tenants/impersonate', SINGLE_TENANT],
  ['POST', '/tenants/leave-team', SINGLE_TENANT],
  ['GET', '/tenants/billing-information', SINGLE_TENANT],
  ['GET', '/tenants/anonymous-user', SINGLE_TENANT],
  ['POST', '/tenants/users/invite/request', SINGLE_TENANT],
]

export const unsupportedRoutes: readonly AnyRoute[] = UNSUPPORTED_PATHS.map(([method, path, reason]) =>
  route({
    method,
    path,
    access: 'authenticated',
    tag: 'State',
    summary: 'Not supported',
    isHidden: true,
    params: z.object(
      Object.fromEntries((path.match(/\{\w+\}/g) ?? []).map((it) => [it.slice(1, -1), wireString({ max: 200 })])),
    ),
    reply: z.null(),
    errors: ['NOT_IMPLEMENTED'],
    handle: () => {
      throw new AppError('NOT_IMPLEMENTED', { reason })
    },
  }),
)
