import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const TEXTS = '\0texts:'
/** `de.json?part=admin` is the texts of the administration, `?part=everyone` all others: src/text/load-texts.ts. */
const partsOfTexts: Plugin = {
  name: 'parts-of-texts',
  enforce: 'pre',
  resolveId(source, importer) {
    const [file, part] = source.split('.json?part=')
    return part === undefined ? null : `${TEXTS}${part}:${resolve(dirname(importer ?? ''), file ?? '')}`
  },
  load(id) {
    if (!id.startsWith(TEXTS)) return null
    const [part, file] = id.slice(TEXTS.length).split(':')
    const { admin, ...everyone } = JSON.parse(readFileSync(`${file}.json`, 'utf8'))
    return `export default ${JSON.stringify(part === 'admin' ? { admin } : everyone)}`
  },
}

/** Nearly all functions of these files run before the first page is drawn. */
const COMPILED_AT_ONCE = new Set(['react', 'packages'])
/**
 * Chromium then compiles them in a thread of its own while they arrive: otherwise it reads each function twice, the second
 * time where it would draw. Other browsers pass over the comment.
 */
const compileHints: Plugin = {
  name: 'compile-hints',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk' && COMPILED_AT_ONCE.has(file.name))
        file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [partsOfTexts, compileHints],
  build: {
    target: 'es2022',
    // The server names the next files. The polyfill would need a wider content security policy.
    modulePreload: { polyfill: false },
    // Small images as `data:` addresses would need a wider policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // Three files for what the first page needs. As a file for each shared module it was sixty, and asking for them took a
      // slow processor longer than reading them. Those of the packages stay the same when only our own code changes.
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/, tags: ['$initial'] },
            { name: 'packages', test: /node_modules[\\/]/, tags: ['$initial'] },
            { name: 'first', tags: ['$initial'] },
          ],
        },
      },
      onwarn(warning, warn) {
        // "use client" matters only for server rendering, which is not used here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
