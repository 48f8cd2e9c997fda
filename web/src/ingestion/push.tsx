import { CodeBlock } from '../parts/copy.tsx'

/** Ready to be pasted: with the address that this page came from. */
const curlOf = (origin: string) => `curl --fail-with-body '${origin}/api/service-api/ingestion' \\
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

export const Push = () => (
  <section className="card card-pad" aria-labelledby="push">
    <h2 id="push" className="section-title">
      Push a document
    </h2>
    <p className="dimmed small section-text">
      Put a key with the scope “ingest” into <code>PHAROS_API_KEY</code>, then send this. The same id again is an
      update; <code>?wait_for=indexed</code> waits until it can be found. All of it is described at{' '}
      <a href="/docs">/docs</a>.
    </p>
    <CodeBlock text={curlOf(window.location.origin)} label="A request that pushes a document" />
  </section>
)
