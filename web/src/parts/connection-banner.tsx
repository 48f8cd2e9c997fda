// A banner on every page while the network or the service is down.
import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { UnreachableError } from '../api.ts'
import { textsOf } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { useAwaitedPage } from './lazy-page.ts'

export function ConnectionBanner() {
  const { online } = useNetwork()
  const [hasFailed, isPageAwaited] = [useUnreachable(), useAwaitedPage()]
  const t = textsOf('parts')
  const text = !online ? t('offline') : (hasFailed || isPageAwaited) && t('unreachable')
  return (
    <div role="status" className="connection">
      {text !== false && (
        <p>
          <Icon name="alert" size={16} /> {text}
        </p>
      )}
    </div>
  )
}

/** True when the last attempt of any request that is in use did not reach the service. */
function useUnreachable(): boolean {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => cache.getAll().some((it) => it.isActive() && it.state.fetchFailureReason instanceof UnreachableError),
  )
}
