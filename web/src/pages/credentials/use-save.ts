// Saves a change of a credential. If another person has changed it since, the page reads it again.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'

export function useSave(save: () => Promise<unknown>, onDone: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: save,
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: ['listing'] })
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
      onDone()
    },
    onError: (error) => {
      if (isConflict(error)) void queryClient.invalidateQueries({ queryKey: ['credentials'] })
    },
  })
}

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.error_code === 'CREDENTIAL_CHANGED'
