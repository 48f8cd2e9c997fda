import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { setProjectInstructions } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { instructionsQuery, MAX_INSTRUCTIONS } from './project-queries.ts'

export function ProjectInstructions({ project }: { project: number }) {
  const t = textsOf('projects')
  const { data, isPending, isError, error, refetch } = useQuery(instructionsQuery(project))
  return (
    <section className="card" aria-labelledby="instructions">
      <div className="section-head">
        <h2 id="instructions">{t('instructions')}</h2>
      </div>
      <div className="project-body">
        {isPending && <LoadingSkeleton lines={3} />}
        {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
        {data !== undefined && <InstructionsForm project={project} before={data.instructions} />}
      </div>
    </section>
  )
}

function InstructionsForm({ project, before }: { project: number; before: string }) {
  const t = textsOf('projects')
  const queryClient = useQueryClient()
  const [text, setText] = useState(before)
  const save = useMutation({
    mutationFn: () => setProjectInstructions(api, { project_id: project, body: { instructions: text } }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(instructionsQuery(project).queryKey, saved)
      await queryClient.invalidateQueries({ queryKey: ['projects'], exact: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Textarea
        aria-labelledby="instructions"
        description={t('instructions_help')}
        value={text}
        maxLength={MAX_INSTRUCTIONS}
        autosize
        minRows={3}
        maxRows={14}
        dir="auto"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" size="xs" loading={save.isPending} disabled={text === before}>
          {textsOf('parts')('save')}
        </Button>
        <span role="status" className="dimmed small">
          {save.isSuccess && text === before && t('saved')}
        </span>
      </div>
    </form>
  )
}
