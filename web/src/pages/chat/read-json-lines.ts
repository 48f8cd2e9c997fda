// Reads a stream of JSON lines.

/** No valid line is this long; a longer one aborts the stream. */
const MAX_LINE = 16 * 1_024 * 1_024

/** Ends with the stream. Rejects with a network error, or with InvalidLineError for a line that is not JSON. */
export async function* readJsonLines<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of readChunks(body)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new InvalidLineError(rest)
    for (const line of lines) if (line.trim() !== '') yield parseLine<T>(line)
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield parseLine<T>(rest)
}

/** The service sent a line that is not JSON. The message is its beginning. */
export class InvalidLineError extends Error {
  constructor(line: string, options?: ErrorOptions) {
    super(line.slice(0, 80), options)
  }
}

function parseLine<T>(line: string): T {
  try {
    // The response is trusted to match its OpenAPI description, as in the generated client.
    return JSON.parse(line) as T
  } catch (cause) {
    throw new InvalidLineError(line, { cause })
  }
}

/** Not every browser supports iterating over a stream. Ending the iteration closes the connection. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let it = await reader.read(); !it.done; it = await reader.read()) yield it.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}
