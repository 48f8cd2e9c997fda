import { z } from 'zod'
import { type AnyRoute, route } from '../route.ts'

export type MetricsAccess = 'key' | 'public' | 'off'

/** Not open to whoever asks from this machine: behind a reverse proxy everybody does. */
export const metricsRoutes = (access: MetricsAccess): AnyRoute[] =>
  access === 'off' ? [] : [metrics(access === 'public' ? 'public' : 'metrics')]

const metrics = (access: 'public' | 'metrics') =>
  route({
    method: 'GET',
    path: '/metrics',
    access,
    tag: 'State',
    summary: 'Metrics for Prometheus',
    description:
      'Text format 0.0.4. A key of role `limited` with the scope `metrics` may read this and nothing else; the setting METRICS opens it to everybody, or takes it away.',
    reply: z.string(),
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    handle: ({ services }) => services.metrics.text(),
  })
