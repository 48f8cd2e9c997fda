// Estimates the number of tokens in a text, because each model has its own tokenizer.

/** English has more bytes per token, Chinese and code have fewer: the estimate is on the high side. */
const BYTES_PER_TOKEN = 3.5

export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** Truncates the text, at a space if there is one. */
export function truncateToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text
  let end = Math.max(0, Math.floor(tokens * BYTES_PER_TOKEN))
  while (end > 0 && estimateTokens(text.slice(0, end)) > tokens) end = Math.floor(end * 0.9)
  const space = text.slice(0, end).search(/\s\S*$/)
  return text
    .slice(0, space > end / 2 ? space : end)
    .toWellFormed()
    .replace(/\ufffd$/, '')
}
