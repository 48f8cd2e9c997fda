// The instructions that the model reads before each question, with their length.
import { Checkbox, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FullPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import type { AgentValues, FieldsProps } from './agent-values.ts'
import { documentTokensQuery } from './agents-query.ts'

interface Props extends FieldsProps {
  agent: FullPersonaSnapshot | undefined
}

export function InstructionFields({ values, set, agent }: Props) {
  const t = textsOf('agents.editor')
  return (
    <section className="card card-pad stack" aria-labelledby="agent-instructions">
      <h2 id="agent-instructions">{t('instructions')}</h2>
      <Textarea
        label={t('fields.system_prompt')}
        description={t('system_prompt_help')}
        value={values.system_prompt}
        onChange={(event) => set({ system_prompt: event.currentTarget.value })}
        maxLength={100_000}
        dir="auto"
        minRows={4}
        maxRows={20}
        autosize
      />
      <Textarea
        label={t('fields.task_prompt')}
        description={t('task_prompt_help')}
        value={values.task_prompt}
        onChange={(event) => set({ task_prompt: event.currentTarget.value })}
        maxLength={100_000}
        dir="auto"
        minRows={2}
        maxRows={10}
        autosize
      />
      <TokenCount values={values} agent={agent} />
      <Checkbox
        label={t('fields.replace_base_system_prompt')}
        description={t('replace_help')}
        checked={values.replace_base_system_prompt}
        onChange={(event) => set({ replace_base_system_prompt: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('fields.datetime_aware')}
        checked={values.datetime_aware}
        onChange={(event) => set({ datetime_aware: event.currentTarget.checked })}
      />
    </section>
  )
}

/** A usual estimate for European languages. */
const CHARACTERS_PER_TOKEN = 4
const BUILT_IN_AGENT = 0

function TokenCount({ values, agent }: { values: AgentValues; agent: FullPersonaSnapshot | undefined }) {
  const t = textsOf('agents.editor')
  const room = useQuery(documentTokensQuery(agent?.id ?? BUILT_IN_AGENT)).data?.max_tokens
  const used = Math.ceil((values.system_prompt.length + values.task_prompt.length) / CHARACTERS_PER_TOKEN)
  return (
    <p className="small dimmed" aria-live="polite">
      {room === undefined ? t('tokens', { used }) : t('tokens_with_room', { used, room })}
    </p>
  )
}
