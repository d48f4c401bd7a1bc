import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import type { UserConfig } from 'vite'
import { licensesPlugin } from './licenses.ts'
import { pdfFilesPlugin } from './pdf-files.ts'
import { startSizePlugin } from './start-size.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** A little more than the page loads today; test/bench/README.md has the figure to reach. */
const MAX_START_BYTES = 312_500

interface PageOptions {
  /** The page reaches the service process through this file of renderer/transport. */
  readonly entry: 'index.ts' | 'index.web.ts'
  readonly outDir: string
}

/**
 * Creates the build of the page, which is the same for the desktop app and the browser host except
 * for its transport.
 */
export function createPageConfig({ entry, outDir }: PageOptions): UserConfig {
  return {
    root: resolvePath('../../renderer'),
    // Addresses are absolute, because both hosts serve the page at the root of its own origin.
    base: '/',
    plugins: [vue(), pdfFilesPlugin(), licensesPlugin({ emit: true }), startSizePlugin(MAX_START_BYTES)],
    resolve: { alias: { '#transport': resolvePath(`../../renderer/transport/${entry}`) } },
    // The texts of a language are parsed as JSON, which is faster than as a script.
    json: { stringify: true },
    define: {
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_I18N_LEGACY_API__: 'false',
      __INTLIFY_JIT_COMPILATION__: 'true',
    },
    worker: { format: 'es', plugins: () => [licensesPlugin()] },
    build: {
      outDir: resolvePath(`../../${outDir}`),
      emptyOutDir: true,
      minify: true,
      target: 'chrome130',
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The policy allows no inline scripts and no data: fonts, so files stay files.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1500,
      rolldownOptions: {
        input: resolvePath('../../renderer/index.html'),
        output: {
          codeSplitting: {
            groups: [
              { name: 'editor', test: /node_modules[\\/](@codemirror|@lezer|crelt|style-mod|w3c-keyname)/ },
              { name: 'framework', test: /node_modules[\\/](vue|@vue|pinia|vue-router|vue-i18n|@intlify|zod)[\\/]/ },
              // Everything that the first paint waits for is in one file; split by shared use, it
              // would be more than twenty files.
              { name: 'start', tags: ['$initial'] },
              // One file for each module that two places share would be ninety requests at the
              // start. The two places where most users begin share one file, and so do the two that
              // are preloaded after it (`startup.ts`).
              {
                name: 'first',
                test: /renderer[\\/]places[\\/](library[\\/]LibraryPlace|connect[\\/]ConnectPlace)\.vue/,
              },
              { name: 'next', test: /renderer[\\/]places[\\/](tree[\\/]TreePlace|traffic[\\/]TrafficViews)\.vue/ },
            ],
          },
        },
      },
    },
  }
}
