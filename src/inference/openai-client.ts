import OpenAI, { type ClientOptions } from 'openai'

interface Options extends Pick<ClientOptions, 'defaultQuery' | 'fetch' | 'fetchOptions' | 'timeout'> {
  baseURL: string
  key: string | null
  headers?: Readonly<Record<string, string>>
}

export const openClient = ({ key, headers, ...options }: Options): OpenAI =>
  new OpenAI({
    // Everything is given, so that nothing is taken from the environment.
    apiKey: key ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    defaultHeaders: { ...(key === null && { Authorization: null }), ...headers },
    // Whoever calls knows better how long it can wait, and what else may answer at once.
    maxRetries: 0,
    ...options,
  })
