import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2022',
    // The server names the next files. The polyfill would need a wider content security policy.
    modulePreload: { polyfill: false },
    // Small images as `data:` addresses would need a wider policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        // "use client" matters only for server rendering, which is not used here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
