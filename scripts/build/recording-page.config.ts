import vue from '@vitejs/plugin-vue'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { PAGE_DATA_MARK } from '../../electron/recording-file/page-writer.ts'
import { licensesPlugin } from './licenses.ts'
import { listKeyStarts, selectMessages, type MessageTree } from './page-messages.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Without the recording, which anybody who sends the page sends beside it. */
const MAX_PAGE_BYTES = 800_000

/** In the built script in place of the texts, which it decides. */
const MESSAGES_MARK = '@@messages@@'

/** Some shared components name RouterLink, which the page does not show: it has no router. */
const isRouterLink = (tag: string): boolean => tag === 'RouterLink'

/** Builds the page of a recording: one file, into which a recording is written. */
export default defineConfig({
  root: resolvePath('../../renderer/recording-page'),
  base: './',
  plugins: [
    vue({ template: { compilerOptions: { isCustomElement: isRouterLink } } }),
    licensesPlugin(),
    inlinePlugin(),
  ],
  resolve: {
    alias: [
      { find: /^naive-ui$/, replacement: resolvePath('../../renderer/recording-page/native-widgets.ts') },
      {
        find: /^.*\/stores\/(names|connected-host)\.ts$/,
        replacement: resolvePath('../../renderer/recording-page/recorded-names.ts'),
      },
      { find: /^.*\/lazy-json-view\.ts$/, replacement: resolvePath('../../renderer/recording-page/lazy-json-view.ts') },
    ],
  },
  json: { stringify: true },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __INTLIFY_JIT_COMPILATION__: 'true',
    PAGE_MESSAGES: JSON.stringify(MESSAGES_MARK),
  },
  build: {
    outDir: resolvePath('../../out/page'),
    emptyOutDir: true,
    minify: true,
    target: 'chrome130',
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { output: { codeSplitting: false } },
  },
})

/** Puts the script and the styles into the page, whose policy allows nothing but these two. */
function inlinePlugin(): Plugin {
  return {
    name: 'bridge-inspector:inline',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      let script = ''
      let style = ''
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === 'chunk' && output.isEntry) script = output.code
        else if (name.endsWith('.css') && output.type === 'asset') style = String(output.source)
        Reflect.deleteProperty(bundle, name)
      }
      const mark = new RegExp(`(["'\`])${MESSAGES_MARK}\\1`)
      const messages = JSON.stringify(JSON.stringify(readMessages(listKeyStarts(script))))
      if (!mark.test(script)) this.error('The page has no place for its texts.')
      script = script.replace(mark, () => messages)
      // Ends a script in HTML; within a string, the backslash changes nothing.
      script = script.replaceAll(/<\/(script)/gi, '<\\/$1')
      // Behind `<!--`, this begins a script within the script.
      if (/<script/i.test(script) || /<\/style/i.test(style)) this.error('The page cannot hold its own code.')
      const source = createPage(script, style)
      if (Buffer.byteLength(source) > MAX_PAGE_BYTES)
        this.error(`The page has ${Buffer.byteLength(source)} bytes, ${MAX_PAGE_BYTES} at most.`)
      this.emitFile({ type: 'asset', fileName: 'recording-page.html', source })
    },
  }
}

/** The texts of both languages: the reader of a page may not be who saved it. */
function readMessages(keyStarts: readonly string[]): MessageTree {
  const readLocale = (locale: string): MessageTree => {
    const files = globSync(resolvePath(`../../renderer/i18n/locales/${locale}/*.json`)).sort()
    const trees = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as MessageTree)
    return selectMessages(Object.assign({}, ...trees) as MessageTree, keyStarts)
  }
  return { en: readLocale('en'), 'zh-CN': readLocale('zh-CN') }
}

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function createPage(script: string, style: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types vue',
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Bridge Inspector</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="recording">${PAGE_DATA_MARK}</script>
<script type="module">${script}</script>
</body>
</html>
`
}
