import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { PACKAGES } from '../../../../src/client/packages.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'

/** As many rows as a person reads before they search. */
const FEW = 20

export function Licences() {
  const t = textsOf('admin.about.licences')
  const [typed, setTyped] = useState('')
  const words = typed.trim().toLowerCase()
  const found = PACKAGES.filter(([name, , licence]) => `${name} ${licence}`.toLowerCase().includes(words))
  return (
    <section className="card" aria-labelledby="about-licences">
      <div className="section-head">
        <h2 id="about-licences">{t('title')}</h2>
      </div>
      <div className="section-note stack">
        <p>{t('help', { count: PACKAGES.length })}</p>
        <TextInput
          className="about-filter"
          label={t('filter')}
          placeholder={t('filter_example')}
          maxLength={100}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <p role="status" className="small dimmed">
          {t('found', { count: found.length })}
        </p>
      </div>
      {found.length > 0 && <Packages key={words} found={found} />}
    </section>
  )
}

function Packages({ found }: { found: typeof PACKAGES }) {
  const t = textsOf('admin.about.licences')
  const [isWhole, setIsWhole] = useState(false)
  return (
    <>
      <RecordTable
        label={t('title')}
        rows={isWhole ? found : found.slice(0, FEW)}
        keyOf={([name, version]) => `${name} ${version}`}
        columns={[
          { label: t('package'), className: 'long-text', cell: ([name]) => <bdi>{name}</bdi> },
          { label: t('version'), className: 'nowrap', cell: ([, version]) => version },
          { label: t('licence'), className: 'nowrap', cell: ([, , licence]) => licence },
        ]}
      />
      {!isWhole && found.length > FEW && (
        <div className="section-end">
          <Button variant="default" size="xs" onClick={() => setIsWhole(true)}>
            {t('all', { count: found.length })}
          </Button>
        </div>
      )}
    </>
  )
}
