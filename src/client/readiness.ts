// How the service is, also while it is not ready: then the same facts come with a 503.
import { type Api, ApiError } from './api.ts'
import { getReadiness } from './operations.ts'
import type { Readiness } from './schemas.ts'

export async function readinessOf(api: Api, { signal }: { signal?: AbortSignal } = {}): Promise<Readiness> {
  try {
    return await getReadiness(api, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status === 503 && 'data' in error.body)
      return error.body as unknown as Readiness
    throw error
  }
}
