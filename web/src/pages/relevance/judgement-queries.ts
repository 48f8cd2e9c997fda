import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteJudgement, listJudgements, previewRanking, putJudgement } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

/** How many results can be judged. The quality is that of the first ten. */
const JUDGED_RESULTS = 20

export interface Judged {
  query: string
  document_id: string
  grade: number
}

/** The results of the query now, and their quality. */
export const useRankedResults = (query: string) =>
  useQuery({
    queryKey: ['judged', 'results', query],
    queryFn: ({ signal }) => previewRanking(api, { body: { query, settings: {}, num_hits: JUDGED_RESULTS }, signal }),
    enabled: query !== '',
  })

/** All grades of the query that were given by hand. */
export const useJudgementsOf = (query: string) =>
  useQuery({
    queryKey: ['judged', 'of', query],
    queryFn: ({ signal }) => listJudgements(api, { query, signal }),
    enabled: query !== '',
  })

function useReloadJudgements(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['judged'] })
}

export function usePutJudgement() {
  const reload = useReloadJudgements()
  return useMutation({ mutationFn: (body: Judged) => putJudgement(api, { body }), onSuccess: reload })
}

export function useDeleteJudgement() {
  const reload = useReloadJudgements()
  return useMutation({ mutationFn: (id: number) => deleteJudgement(api, { judgement_id: id }), onSuccess: reload })
}
