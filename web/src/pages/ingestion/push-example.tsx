import { CodeBlock } from '../../parts/copy.tsx'
import { textsOf } from '../../text/texts.ts'

const WAIT = '?wait_for=indexed'

export function PushExample() {
  const t = textsOf('admin.ingestion.push')
  return (
    <section className="card card-pad" aria-labelledby="push">
      <h2 id="push" className="section-title">
        {t('title')}
      </h2>
      <p className="dimmed small section-text">
        {t.rich('help', {
          code: (text) => <code>{text}</code>,
          wait: () => <code>{WAIT}</code>,
          link: (text) => <a href="/docs">{text}</a>,
        })}
      </p>
      <CodeBlock text={curlExample(window.location.origin)} label={t('label')} />
    </section>
  )
}

/** A command to copy, with the origin of this page. */
function curlExample(origin: string): string {
  const t = textsOf('admin.ingestion.push')
  return `curl --fail-with-body '${origin}/api/service-api/ingestion' \\
  -H "Authorization: Bearer $PHAROS_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "document": {
      "id": "handbook-1",
      "semantic_identifier": ${quoted(t('example_title'))},
      "sections": [{"text": ${quoted(t('example_text'))}, "link": "https://wiki.example.com/leave"}],
      "source": "ingestion_api",
      "metadata": {"team": "people"}
    }
  }'`
}

/** A text in JSON, within the single quotes of a shell. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("'", String.raw`'\''`)
