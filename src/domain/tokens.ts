// How long a text is for a model whose own counting nobody here knows.

/** One token for four bytes: about right for English, rather too many than too few elsewhere. */
const BYTES_PER_TOKEN = 4

export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
