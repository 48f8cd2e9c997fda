// The saved ranking settings, and the unsaved ones, which stay while the person visits other pages.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { getRankingSettings, updateRankingSettings } from '../../../../src/client/operations.ts'
import type { RankingSettings } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { type UndoResult, useOfferUndo } from '../../parts/undo-notice.tsx'
import { useKept } from '../../parts/use-kept.ts'
import { textsOf } from '../../text/texts.ts'
import { changedFields, type Difference, differenceOf, mergeValues, type RankingValues, valuesOf } from './draft.ts'

export interface Draft {
  /** The saved settings from which the changes began. */
  base: RankingSettings
  values: RankingValues
}

const rankingQuery = queryOptions({
  queryKey: ['ranking'],
  queryFn: ({ signal }) => getRankingSettings(api, { signal }),
})
const DRAFT = ['ranking-draft']
const NAMES = ['ranking-names']

export type Names = ReadonlyMap<string, string>
const NO_NAMES: Names = new Map()
const noDraft = (): Draft | null => null

export function useRanking() {
  const queryClient = useQueryClient()
  const settings = useQuery(rankingQuery)
  const draft = useKept(DRAFT, noDraft())
  const picked = useKept(NAMES, NO_NAMES)
  const base = draft?.base ?? settings.data
  const setDraft = (next: Draft | null) => queryClient.setQueryData(DRAFT, next)
  return {
    settings,
    base,
    values: draft?.values ?? (base && valuesOf(base)),
    difference: base === undefined || draft === null ? NO_DIFFERENCE : differenceOf(base, draft.values),
    names: new Map([
      ...picked,
      ...(base?.documents.map((it) => [it.document_id, it.semantic_identifier] as const) ?? []),
    ]),
    change(change: Partial<RankingValues>) {
      if (base === undefined) return
      const values = { ...valuesOf(base), ...draft?.values, ...change }
      const { removed, added } = differenceOf(base, values)
      setDraft(removed.length + added.length === 0 ? null : { base, values })
    },
    setDraft,
    /** Remembers the name of a document that the person chose. */
    nameDocument: (id: string, name: string) => queryClient.setQueryData(NAMES, new Map([...picked, [id, name]])),
  }
}

/** Whether there are unsaved changes, on every page. */
export const useHasRankingDraft = (): boolean => useKept(DRAFT, noDraft()) !== null

export type Ranking = ReturnType<typeof useRanking>

const NO_DIFFERENCE: Difference = { removed: [], added: [] }

export const changeCount = ({ removed, added }: Difference): number => Math.max(removed.length, added.length)

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409

/** Saves the draft. If another person saved meanwhile, both changes are merged and nothing is saved yet. */
export function useSaveRanking({ base, values, setDraft }: Ranking) {
  const t = textsOf('admin.ranking.save')
  const queryClient = useQueryClient()
  const [theirs, setTheirs] = useState<Difference | null>(null)
  const offerUndo = useOfferUndo()
  const put = async (from: RankingSettings, to: RankingValues) => {
    const saved = await updateRankingSettings(api, {
      body: { ...changedFields(from, to), expected_version: from.version },
    })
    await queryClient.cancelQueries({ queryKey: rankingQuery.queryKey })
    queryClient.setQueryData(rankingQuery.queryKey, saved)
    return saved
  }
  const save = useMutation({
    mutationFn: async (draft: Draft) => ({ before: valuesOf(draft.base), saved: await put(draft.base, draft.values) }),
    onSuccess: (done) => {
      setDraft(null)
      setTheirs(null)
      offerUndo({ text: t('saved'), help: t('saved_help'), undo: () => revert(done) })
    },
    onError: async (error, draft) => {
      if (!isConflict(error)) return
      const now = await queryClient.fetchQuery({ ...rankingQuery, staleTime: 0 })
      setTheirs(differenceOf(draft.base, now))
      setDraft({ base: now, values: mergeValues(draft.base, draft.values, now) })
    },
  })
  const revert = async ({ before, saved }: { before: RankingValues; saved: RankingSettings }): Promise<UndoResult> => {
    try {
      await put(saved, before)
      return { state: 'undone', text: t('undone') }
    } catch (error) {
      if (!isConflict(error)) throw error
      await queryClient.invalidateQueries({ queryKey: rankingQuery.queryKey })
      return { state: 'refused', text: t('undo_refused'), help: t('undo_refused_help') }
    }
  }
  return {
    theirs,
    isSaving: save.isPending,
    error: save.error === null || isConflict(save.error) ? null : save.error,
    save: () => {
      if (base !== undefined && values !== undefined) save.mutate({ base, values })
    },
    discard: () => {
      save.reset()
      setTheirs(null)
      setDraft(null)
    },
  }
}
