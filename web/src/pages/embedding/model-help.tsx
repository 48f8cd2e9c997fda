// How the embedding model is chosen, with the lines to copy.
import type { FullModelVersionResponse } from '../../../../src/client/schemas.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { textsOf } from '../../text/texts.ts'

/** The names of the settings are the same in every language. */
const LOCAL = 'EMBEDDING=local'
const MULTILINGUAL = ['npm run pharos -- model add multilingual', 'EMBEDDING=multilingual'].join('\n')
const SERVER = [
  'EMBEDDING=openai',
  'EMBEDDING_URL=https://models.example.com/v1',
  'EMBEDDING_KEY=…',
  'EMBEDDING_MODEL=…',
].join('\n')

export function ModelHelp({ settings: { secondary_settings: next } }: { settings: FullModelVersionResponse }) {
  const t = textsOf('admin.embedding.model')
  return (
    <section className="card card-pad stack" aria-labelledby="embedding-model">
      <h2 id="embedding-model">{t('title')}</h2>
      {next !== null && (
        <p>{t.rich('next', { model: next.model_name, dimensions: next.model_dim, it: (text) => <bdi>{text}</bdi> })}</p>
      )}
      <p>{t('help')}</p>
      <p>{t('local')}</p>
      <CodeBlock text={LOCAL} label={t('local_label')} />
      <p>{t('multilingual')}</p>
      <CodeBlock text={MULTILINGUAL} label={t('multilingual_label')} />
      <p>{t('server')}</p>
      <CodeBlock text={SERVER} label={t('server_label')} />
    </section>
  )
}
