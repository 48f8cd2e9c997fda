import { z } from 'zod'
import { type AnyRoute, route } from '../../route.ts'

export type MetricsAccess = 'key' | 'public' | 'off'

/** Requests from the local machine are not exempt: behind a reverse proxy, all requests are local. */
export const metricsRoutes = (access: MetricsAccess): AnyRoute[] =>
  access === 'off' ? [] : [metricsRoute(access === 'public' ? 'public' : 'metrics')]

const metricsRoute = (access: 'public' | 'metrics') =>
  route({
    name: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    access,
    tag: 'State',
    summary: 'Get Prometheus metrics',
    description:
      'Text format 0.0.4. A key with role `limited` and scope `metrics` may read only this. The setting METRICS makes the endpoint public or disables it.',
    reply: z.string(),
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    services: ['metrics'],
    handle: ({ services }) => services.metrics.text(),
  })
