// How much of a model's attention does a text take? Estimated: a tokenizer is another one for each model.

/** English has more, Chinese and code have fewer: what is estimated is rather too much. */
const BYTES_PER_TOKEN = 3.5

export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** The beginning of the text, cut at a space where there is one. */
export function fitting(text: string, tokens: number): string {
  if (tokensIn(text) <= tokens) return text
  let end = Math.max(0, Math.floor(tokens * BYTES_PER_TOKEN))
  while (end > 0 && tokensIn(text.slice(0, end)) > tokens) end = Math.floor(end * 0.9)
  const space = text.slice(0, end).search(/\s\S*$/)
  return text
    .slice(0, space > end / 2 ? space : end)
    .toWellFormed()
    .replace(/\ufffd$/, '')
}
