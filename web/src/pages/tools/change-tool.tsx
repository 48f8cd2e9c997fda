// Changes a tool: the form, then the difference to what is stored now, then the change. If another person changed the
// tool meanwhile, the difference is to their version, and nothing is overwritten unseen.
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { diffToolDefinition, updateCustomTool } from '../../../../src/client/operations.ts'
import type { ToolDefinitionDiff, ToolSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { TheirChanges } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { oauthConfigsQuery } from '../oauth-configs/oauth-configs-queries.ts'
import { parseDefinition } from './tool-definition.ts'
import { ToolDifference } from './tool-difference.tsx'
import { ToolForm } from './tool-form.tsx'
import {
  definitionDifference,
  differencesOf,
  isOtherDefinition,
  type ToolValues,
  toToolChange,
  valuesOfTool,
} from './tool-values.ts'
import { toolQuery, useReloadTools } from './tools-queries.ts'

interface Review {
  /** The tool as it is stored when the difference is made. */
  stored: ToolSnapshot
  /** The person's changes on top of what is stored. */
  wanted: ToolValues
  fields: DifferenceRow[]
  /** Null if the definition stays. */
  definition: ToolDefinitionDiff | null
  /** The changes of another person since the form was opened. */
  theirs: DifferenceRow[]
}

export function ChangeTool({ tool, onClose }: { tool: ToolSnapshot; onClose: () => void }) {
  const t = textsOf('admin.tools')
  const [base] = useState(() => valuesOfTool(tool))
  const [values, setValues] = useState(base)
  const review = useReview(tool.id, base, values)
  if (review.data !== undefined)
    return (
      <ReviewChanges
        review={review.data}
        onBack={() => review.reset()}
        onOvertaken={() => review.mutateAsync()}
        onSaved={onClose}
      />
    )
  return (
    <ToolForm
      label={t('change')}
      values={values}
      set={(change) => setValues((it) => ({ ...it, ...change }))}
      onSubmit={() => review.mutate()}
    >
      {review.isError && <ErrorAlert error={review.error} />}
      <div className="row">
        <Button type="submit" loading={review.isPending} disabled={parseDefinition(values.definition) === null}>
          {t('show_changes')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
      </div>
    </ToolForm>
  )
}

/** Reads the tool again, and compares it with the person's changes. */
function useReview(id: number, base: ToolValues, values: ToolValues) {
  const queryClient = useQueryClient()
  const configs = useQuery(oauthConfigsQuery)
  const configName = (config: string) => configs.data?.find((it) => String(it.id) === config)?.name ?? config
  return useMutation({
    mutationFn: async (): Promise<Review> => {
      const stored = await queryClient.fetchQuery({ ...toolQuery(id), staleTime: 0 })
      const current = valuesOfTool(stored)
      const wanted = mergeChanges(current, base, values)
      const body = { definition: parseDefinition(wanted.definition) ?? {} }
      const isOther = isOtherDefinition(current, wanted)
      return {
        stored,
        wanted,
        fields: differencesOf(current, wanted, configName),
        definition: isOther ? await diffToolDefinition(api, { tool_id: id, body }) : null,
        theirs: [...differencesOf(base, current, configName), ...definitionDifference(base, current)],
      }
    },
  })
}

interface ReviewProps {
  review: Review
  onBack: () => void
  /** Reads the tool again, because another person has changed it since. */
  onOvertaken: () => Promise<unknown>
  onSaved: () => void
}

function ReviewChanges({ review, onBack, onOvertaken, onSaved }: ReviewProps) {
  const t = textsOf('admin.tools')
  const reload = useReloadTools()
  const { fields, definition, theirs } = review
  const save = useMutation({
    mutationFn: () => saveTool(review),
    onError: (error) => isOvertaken(error) && onOvertaken(),
    onSuccess: async () => {
      await reload()
      onSaved()
    },
  })
  const isEmpty = fields.length === 0 && definition === null
  return (
    <section className="card card-pad stack tool-changes" aria-label={t('changes')}>
      <h2>{t('changes')}</h2>
      <TheirChanges rows={theirs} title={t('changed_meanwhile')} help={t('changed_meanwhile_help')} />
      {isEmpty ? <p>{t('no_changes')}</p> : <ToolDifference fields={fields} definition={definition} />}
      {save.isError && !isOvertaken(save.error) && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button loading={save.isPending} disabled={isEmpty} onClick={() => save.mutate()}>
          {textsOf('parts')('save')}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('back')}
        </Button>
      </div>
    </section>
  )
}

const isOvertaken = (error: unknown): boolean => error instanceof ApiError && error.error_code === 'TOOL_CHANGED'

const saveTool = ({ stored, wanted }: Review): Promise<ToolSnapshot> =>
  updateCustomTool(api, {
    tool_id: stored.id,
    body: { ...toToolChange(valuesOfTool(stored), wanted), expected_version: stored.version },
  })

/** Puts the changes of the person on top of what is stored. */
function mergeChanges(stored: ToolValues, base: ToolValues, mine: ToolValues): ToolValues {
  const isMine = (name: keyof ToolValues) => JSON.stringify(base[name]) !== JSON.stringify(mine[name])
  return {
    name: isMine('name') ? mine.name : stored.name,
    description: isMine('description') ? mine.description : stored.description,
    definition: isOtherDefinition(base, mine) ? mine.definition : stored.definition,
    headers: isMine('headers') ? mine.headers : stored.headers,
    passthrough: isMine('passthrough') ? mine.passthrough : stored.passthrough,
    oauthConfig: isMine('oauthConfig') ? mine.oauthConfig : stored.oauthConfig,
    isPublic: isMine('isPublic') ? mine.isPublic : stored.isPublic,
    isConfirmed: isMine('isConfirmed') ? mine.isConfirmed : stored.isConfirmed,
  }
}
