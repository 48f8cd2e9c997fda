// Shared by connectors that read files: which files to skip and how a file becomes sections.
import type { SourceDocument } from '../connector.ts'
import type { FileText } from './read-file-text.ts'

/** Files without text. They are not even downloaded. */
export const SKIPPED_EXTENSIONS =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|mp[34]|m4[av]|mov|avi|mkv|webm|wav|flac|ogg|woff2?|ttf|otf|eot|exe|dll|so|dylib|a|o|class|jar|wasm|pyc|bin|dat|db|sqlite|parquet|pack|idx|gpg|p12|jks|iso|dmg)$/i

/** Formats that the extractor recognises by file name. */
const DOCUMENT_EXTENSIONS =
  /\.(?:html?|xhtml|mdx?|csv|tsv|jsonl?|xml|ya?ml|rtf|eml|msg|svg|pdf|doc[xm]?|ppt[xm]?|xls[xmb]?|f?od[tsp]|epub|ipynb|zip|tar|t?gz)$/i

/** Treats every other file without zero bytes as plain text. Null: the file name decides. */
export const guessTextType = (name: string, bytes: Buffer): string | null =>
  DOCUMENT_EXTENSIONS.test(name) || bytes.subarray(0, 8_192).includes(0) ? null : 'text/plain; charset=utf-8'

/** Headings of archive members and attachments start with their file name. */
export function toSections(
  { sections, parts }: Extract<FileText, { kind: 'text' }>,
  link: string | null,
): SourceDocument['sections'] {
  return [
    ...sections.map(({ anchor: _, ...section }) => ({ ...section, link })),
    ...parts.flatMap((part) =>
      part.sections.map(({ anchor: _, heading, ...section }) => ({
        ...section,
        heading: heading === null ? part.name : `${part.name}: ${heading}`,
        link,
      })),
    ),
  ]
}
