import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listCcPairs, listWebhookDeliveries, listWebhooks } from '../../../../src/client/operations.ts'
import type { WebhookDelivery } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

/** Hidden pages do not ask. */
const REFRESH_MS = 5_000

export const useWebhooks = () =>
  useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) => listWebhooks(api, { signal }),
    refetchInterval: REFRESH_MS,
  })

export const useDeliveries = (webhook_id: number) =>
  useQuery({
    queryKey: ['webhooks', 'deliveries', webhook_id],
    queryFn: ({ signal }) => listWebhookDeliveries(api, { webhook_id, signal }),
    refetchInterval: REFRESH_MS,
  })

export const useConnectorPairs = () =>
  useQuery({ queryKey: ['webhooks', 'pairs'], queryFn: ({ signal }) => listCcPairs(api, { signal }) })

/** Reads the webhooks and their deliveries again. */
export function useReloadWebhooks(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['webhooks'] })
}

export const hasPending = (deliveries: readonly WebhookDelivery[] | undefined): boolean =>
  deliveries?.some((it) => it.status === 'pending') ?? false
