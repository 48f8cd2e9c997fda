import { useQuery } from '@tanstack/react-query'
import { getVersion } from '../../../../src/client/operations.ts'
import type { ProgramFacts } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { fact } from '../../parts/fact.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function Version({ program }: { program: ProgramFacts }) {
  const t = textsOf('admin.about.version')
  const version = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => getVersion(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const facts = [
    fact(t('program'), program.version),
    fact(t('wire'), version.data?.backend_version ?? '…'),
    fact(t('node'), program.node_version),
    fact(t('database'), t(`databases.${program.database}`)),
  ]
  return (
    <section className="card" aria-labelledby="about-version">
      <div className="section-head">
        <h2 id="about-version">{t('title')}</h2>
        <CopyButton label={t('copy')} text={facts.map((it) => it.join(': ')).join('\n')} />
      </div>
      <div className="section-note stack">
        <dl className="about-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {version.isError && <ErrorAlert error={version.error} retry={() => void version.refetch()} />}
      </div>
    </section>
  )
}
