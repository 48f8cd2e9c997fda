import { CodeBlock } from '../../parts/copy.tsx'

/** A command to copy, with the origin of this page. */
const curlExample = (origin: string) => `curl --fail-with-body '${origin}/api/service-api/ingestion' \\
  -H "Authorization: Bearer $PHAROS_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "document": {
      "id": "handbook-1",
      "semantic_identifier": "Handbook: annual leave",
      "sections": [{"text": "Annual leave is 30 days a year.", "link": "https://wiki.example.com/leave"}],
      "source": "ingestion_api",
      "metadata": {"team": "people"}
    }
  }'`

export const PushExample = () => (
  <section className="card card-pad" aria-labelledby="push">
    <h2 id="push" className="section-title">
      Push a document
    </h2>
    <p className="dimmed small section-text">
      Set <code>PHAROS_API_KEY</code> to a key with the scope “ingest”, then run this command. Sending the same id again
      updates the document; <code>?wait_for=indexed</code> waits until it is searchable. See <a href="/docs">/docs</a>{' '}
      for the full reference.
    </p>
    <CodeBlock text={curlExample(window.location.origin)} label="Request that pushes a document" />
  </section>
)
