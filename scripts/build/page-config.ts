import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import type { UserConfig } from 'vite'
import { licenses } from './licenses.ts'
import { pdfFiles } from './pdf-files.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

interface PageOptions {
  /** Which file of renderer/transport connects the page to the outside. */
  readonly entry: 'index.ts' | 'index.web.ts'
  readonly outDir: string
}

/**
 * The page's build, the same for the desktop and the browser host except for its connection to the
 * outside.
 */
export function pageConfig({ entry, outDir }: PageOptions): UserConfig {
  return {
    root: resolvePath('../../renderer'),
    // Absolute addresses: both hosts serve the page at the root of an origin of its own.
    base: '/',
    plugins: [vue(), pdfFiles(), licenses({ emit: true })],
    resolve: { alias: { '#transport': resolvePath(`../../renderer/transport/${entry}`) } },
    // The texts of a language are parsed as JSON, which is faster than as a script.
    json: { stringify: true },
    define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false', __INTLIFY_JIT_COMPILATION__: 'true' },
    worker: { format: 'es', plugins: () => [licenses()] },
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
              // All that the first paint waits for in one file: split by who else uses it, it would
              // be more than twenty.
              { name: 'start', tags: ['$initial'] },
              // A file for each module that two places share would be ninety requests until the
              // page rests: the two where most begin are one, and so are the two that are got ready
              // after it (`startup.ts`).
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
