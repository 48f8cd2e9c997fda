import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { UserInfo } from '../../../../src/client/schemas.ts'
import { adoptPreferences, loadAgain } from '../../preferences.ts'
import { meQuery } from '../../session.ts'
import { safeNextPath } from './next-path.ts'

/** Opens the page that the person wanted after the sign-in. */
export function useSignIn<Credentials = void>(mutationFn: (credentials: Credentials) => Promise<UserInfo>) {
  const { next } = useSearch({ from: '/sign-in' })
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn,
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      const href = safeNextPath(next, window.location.origin)
      if (adoptPreferences(me.preferences)) await loadAgain(href)
      await navigate({ href, replace: true })
    },
  })
}
