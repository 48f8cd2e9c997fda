import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2022',
    // The server says which file is wanted next; what this would add has to be allowed by the policy of the page.
    modulePreload: { polyfill: false },
    // Small images as `data:` addresses would need a wider policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        // "use client" means something to servers that render; here everything is a client.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
