// Changes a tool: the form, then the difference to what is stored now, then the change. If another person changed the
// tool meanwhile, the difference is to their version, and nothing is overwritten unseen.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { diffToolDefinition, updateCustomTool } from '../../../../src/client/operations.ts'
import type { ToolDefinitionDiff, ToolSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { oauthConfigsQuery } from '../oauth-configs/oauth-configs-queries.ts'
import { parseDefinition } from './tool-definition.ts'
import { ToolDifference } from './tool-difference.tsx'
import { ToolForm } from './tool-form.tsx'
import {
  differencesOf,
  type FieldDifference,
  isOtherDefinition,
  type ToolValues,
  toToolChange,
  valuesOfTool,
} from './tool-values.ts'
import { toolQuery, useReloadTools } from './tools-queries.ts'

interface Review {
  /** The tool as it is stored when the difference is made. */
  stored: ToolValues
  /** The person's changes on top of what is stored. */
  wanted: ToolValues
  fields: FieldDifference[]
  /** Null if the definition stays. */
  definition: ToolDefinitionDiff | null
  isChangedMeanwhile: boolean
}

export function ChangeTool({ tool, onClose }: { tool: ToolSnapshot; onClose: () => void }) {
  const t = textsOf('admin.tools')
  const [base] = useState(() => valuesOfTool(tool))
  const [values, setValues] = useState(base)
  const review = useReview(tool.id, base, values)
  if (review.data !== undefined)
    return <ReviewChanges id={tool.id} review={review.data} onBack={() => review.reset()} onSaved={onClose} />
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
      const stored = valuesOfTool(await queryClient.fetchQuery({ ...toolQuery(id), staleTime: 0 }))
      const wanted = mergeChanges(stored, base, values)
      const body = { definition: parseDefinition(wanted.definition) ?? {} }
      const isOther = isOtherDefinition(stored, wanted)
      return {
        stored,
        wanted,
        fields: differencesOf(stored, wanted, configName),
        definition: isOther ? await diffToolDefinition(api, { tool_id: id, body }) : null,
        isChangedMeanwhile: JSON.stringify(stored) !== JSON.stringify(base),
      }
    },
  })
}

interface ReviewProps {
  id: number
  review: Review
  onBack: () => void
  onSaved: () => void
}

function ReviewChanges({ id, review, onBack, onSaved }: ReviewProps) {
  const t = textsOf('admin.tools')
  const reload = useReloadTools()
  const { stored, wanted, fields, definition, isChangedMeanwhile } = review
  const save = useMutation({
    mutationFn: () => updateCustomTool(api, { tool_id: id, body: toToolChange(stored, wanted) }),
    onSuccess: async () => {
      await reload()
      onSaved()
    },
  })
  const isEmpty = fields.length === 0 && definition === null
  return (
    <section className="card card-pad stack tool-changes" aria-label={t('changes')}>
      <h2>{t('changes')}</h2>
      {isChangedMeanwhile && <Alert color="yellow">{t('changed_meanwhile')}</Alert>}
      {isEmpty ? <p>{t('no_changes')}</p> : <ToolDifference fields={fields} definition={definition} />}
      {save.isError && <ErrorAlert error={save.error} />}
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
