import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  listConnectors,
  listEgressApprovals,
  listEgressRefusals,
  listWebhooks,
} from '../../../../src/client/operations.ts'
import type { EgressRefusal } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

/** Hidden pages do not ask. */
const REFRESH_MS = 5_000
/** The most that the API returns at once. */
const MAX_LISTED = 1_000

export const useRefusals = () =>
  useQuery({
    queryKey: ['egress', 'refusals'],
    queryFn: ({ signal }) => listEgressRefusals(api, { signal }),
    refetchInterval: REFRESH_MS,
  })

export const useApprovals = () =>
  useQuery({
    queryKey: ['egress', 'approvals'],
    queryFn: ({ signal }) => listEgressApprovals(api, { limit: MAX_LISTED, signal }),
  })

/** Reads the refusals and the approvals again. */
export function useReloadEgress(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['egress'] })
}

/** Names who asked for an address: `Connector “Wiki”`, or the kind and the id where there is no name. */
export function useAskerName(): (asker: EgressRefusal['asker']) => string {
  const t = textsOf('admin.egress.askers')
  const connectors = useQuery({
    queryKey: ['egress', 'connectors'],
    queryFn: ({ signal }) => listConnectors(api, { signal }),
  })
  const webhooks = useQuery({ queryKey: ['webhooks', 'list'], queryFn: ({ signal }) => listWebhooks(api, { signal }) })
  const names = {
    connector: new Map(connectors.data?.map((it) => [it.id, it.name])),
    webhook: new Map(webhooks.data?.map((it) => [it.id, URL.parse(it.url)?.host ?? it.url])),
  }
  return ({ kind, id }) => {
    if (id === null) return t(`unsaved.${kind}`)
    const name = kind === 'connector' || kind === 'webhook' ? names[kind].get(id) : undefined
    return name === undefined ? t(`numbered.${kind}`, { id: String(id) }) : t('named', { kind, name })
  }
}
