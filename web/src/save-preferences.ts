import { useMutation, useQueryClient } from '@tanstack/react-query'
import { updatePreferences } from '../../src/client/operations.ts'
import type { UserPreferencesUpdate } from '../../src/client/schemas.ts'
import { api } from './api.ts'
import { meQuery } from './session.ts'

export function useSavePreferences() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: UserPreferencesUpdate) => updatePreferences(api, { body }),
    onSuccess: (preferences) =>
      queryClient.setQueryData(meQuery.queryKey, (me) => (me === undefined ? me : { ...me, preferences })),
  })
}
