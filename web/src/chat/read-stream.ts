// Lines of JSON, as they come.

/** Longer than any line that makes sense: what goes on without an end is given up. */
const MAX_LINE = 16 * 1_024 * 1_024

/** Ends with the stream. Rejects with what the network says, and with BrokenLine where a line is no JSON. */
export async function* readStream<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunksOf(body)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new BrokenLine(rest)
    for (const line of lines) if (line.trim() !== '') yield parsed<T>(line)
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield parsed<T>(rest)
}

export class BrokenLine extends Error {
  constructor(line: string, options?: ErrorOptions) {
    super(`The answer of the service holds a line that is no JSON: ${line.slice(0, 80)}`, options)
  }
}

function parsed<T>(line: string): T {
  try {
    // What the service says is taken as its description says, as the generated client does.
    return JSON.parse(line) as T
  } catch (cause) {
    throw new BrokenLine(line, { cause })
  }
}

/** Not every browser can iterate over a stream. Whoever stops reading lets go of the connection. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let it = await reader.read(); !it.done; it = await reader.read()) yield it.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}
