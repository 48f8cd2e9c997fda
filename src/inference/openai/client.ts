import OpenAI, { type ClientOptions } from 'openai'

interface OpenaiClientOptions extends Pick<ClientOptions, 'defaultQuery' | 'fetch' | 'fetchOptions' | 'timeout'> {
  baseURL: string
  key: string | null
  headers?: Readonly<Record<string, string>>
}

export const createOpenaiClient = ({ key, headers, ...options }: OpenaiClientOptions): OpenAI =>
  new OpenAI({
    // Everything is set explicitly, so that nothing is taken from the environment.
    apiKey: key ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    defaultHeaders: { ...(key === null && { Authorization: null }), ...headers },
    // The caller knows better how long it can wait, and which fallbacks exist.
    maxRetries: 0,
    ...options,
  })
