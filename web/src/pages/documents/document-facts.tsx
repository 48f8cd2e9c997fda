// The facts of the stored version: where it comes from, how old it is, and its metadata.
import type { ReactNode } from 'react'
import type { DocumentDetails } from '../../../../src/client/schemas.ts'
import { formatCount, listText, sourceLabel, Time } from '../../parts/text.tsx'
import { VerificationMark } from '../../parts/verification/verification-mark.tsx'
import { VerifyControl } from '../../parts/verification/verify-control.tsx'
import { textsOf } from '../../text/texts.ts'

type Fact =
  | ('source' | 'version' | 'origin' | 'changed_in_source' | 'accepted' | 'changed' | 'hidden')
  | ('owners' | 'contributors' | 'held' | 'verification')

export function DocumentFacts({ details }: { details: DocumentDetails }) {
  const t = textsOf('admin.documents.facts')
  const metadata = Object.entries(details.metadata)
  return (
    <section className="card card-pad stack" aria-labelledby="version">
      <h2 id="version">{t('title')}</h2>
      <p className="dimmed small">{t('help')}</p>
      <dl className="document-facts small">
        {factsOf(details).map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {details.may_verify && (
        <VerifyControl
          id={details.document_id}
          title={details.semantic_identifier}
          verification={details.verification}
        />
      )}
      {metadata.length > 0 && (
        <>
          <h3 className="document-subtitle">{t('metadata')}</h3>
          <dl className="document-facts small">
            {metadata.map(([key, value]) => (
              <div key={key}>
                <dt>
                  <bdi>{key}</bdi>
                </dt>
                <dd>
                  <bdi>{listText([value].flat())}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  )
}

function factsOf(details: DocumentDetails): [name: Fact, value: ReactNode][] {
  const t = textsOf('admin.documents.facts')
  const { source, version, doc_updated_at, accepted_at, changed_at, hidden_at, primary_owners, secondary_owners } =
    details
  const facts: [Fact, ReactNode][] = [
    ['source', sourceLabel(source)],
    ['origin', <bdi key="origin">{originOf(details)}</bdi>],
    ['version', formatCount(version)],
    ['changed_in_source', <Time key="changed_in_source" at={doc_updated_at} none={t('not_known')} />],
    ['accepted', <Time key="accepted" at={accepted_at} />],
    ['changed', <Time key="changed" at={changed_at ?? accepted_at} />],
  ]
  if (hidden_at !== null) facts.push(['hidden', <Time key="hidden" at={hidden_at} />])
  if (primary_owners.length > 0) facts.push(['owners', <bdi key="owners">{ownersText(primary_owners)}</bdi>])
  if (secondary_owners.length > 0)
    facts.push(['contributors', <bdi key="contributors">{ownersText(secondary_owners)}</bdi>])
  if (details.verification !== null)
    facts.push(['verification', <VerificationMark key="verification" verification={details.verification} />])
  if (details.held_from_prune) facts.push(['held', t('held_help')])
  return facts
}

function originOf({ from_ingestion_api, pushed_by_email }: DocumentDetails): string {
  const t = textsOf('admin.documents.facts')
  if (!from_ingestion_api) return t('by_connector')
  return pushed_by_email === null ? t('pushed') : t('pushed_by', { person: pushed_by_email })
}

const ownersText = (owners: DocumentDetails['primary_owners']): string =>
  listText(
    owners.map(({ display_name, first_name, last_name, email }) => {
      const name = display_name ?? [first_name, last_name].filter((it) => it !== null).join(' ')
      return name === '' ? (email ?? '–') : name
    }),
  )
