import { useQuery } from '@tanstack/react-query'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ToolSwitch } from './tool-switch.tsx'
import { toolText } from './tool-text.ts'
import { builtInToolsQuery } from './tools-queries.ts'

export function BuiltInTools() {
  const t = textsOf('admin.tools')
  const tools = useQuery(builtInToolsQuery)
  return (
    <section className="card" aria-labelledby="built-in">
      <div className="section-head">
        <h2 id="built-in">{t('built_in')}</h2>
      </div>
      <p className="section-note dimmed">{t('built_in_help')}</p>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={5} />}
      {tools.data !== undefined && (
        <RecordTable
          label={t('built_in')}
          rows={tools.data}
          keyOf={({ id }) => id}
          columns={[
            {
              label: t('tool'),
              className: 'long-text',
              cell: (it) => (
                <>
                  <bdi>{toolText(it).name}</bdi>
                  <div className="small dimmed" dir="auto">
                    {toolText(it).description}
                  </div>
                </>
              ),
            },
            { label: t('state'), className: 'nowrap', cell: (it) => <ToolSwitch tool={it} /> },
          ]}
        />
      )}
    </section>
  )
}
