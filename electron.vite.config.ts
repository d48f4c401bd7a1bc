import { defineConfig } from 'electron-vite'
import { fileURLToPath } from 'node:url'
import { licensesPlugin } from './scripts/build/licenses.ts'
import { nodeBuiltinsPlugin, nodeOutput } from './scripts/build/node-builtins.ts'
import { createPageConfig } from './scripts/build/page-config.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const DEV_PORT = 5177

/** Builds the desktop app: main process, the demo host's thread, the preload, the page. */
export default defineConfig({
  main: {
    plugins: [nodeBuiltinsPlugin(), licensesPlugin()],
    // An update for Windows must bear this publisher's signature.
    define: { 'process.env.UPDATE_PUBLISHER': JSON.stringify(process.env['UPDATE_PUBLISHER'] ?? '') },
    build: {
      outDir: resolvePath('./out/main'),
      target: 'node20.18',
      // Every dependency is bundled: the packaged app contains out/ and no node_modules.
      externalizeDeps: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: {
          main: resolvePath('./electron/main.ts'),
          worker: resolvePath('./electron/demo-host/worker.ts'),
          traffic: resolvePath('./electron/services/traffic/thread/worker.ts'),
          snapshots: resolvePath('./electron/services/snapshots/thread/worker.ts'),
          'source-maps': resolvePath('./electron/services/panel/source-map-thread/worker.ts'),
          // This bundle is loaded only when the program is started with a command.
          'command-line': resolvePath('./cli/run.ts'),
        },
        output: nodeOutput,
      },
    },
  },
  preload: {
    plugins: [licensesPlugin()],
    build: {
      outDir: resolvePath('./out/preload'),
      target: 'node20.18',
      externalizeDeps: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { preload: resolvePath('./electron/preload.ts') },
        // A sandboxed preload is CommonJS in one file.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    ...createPageConfig({ entry: 'index.ts', outDir: 'out/renderer' }),
    // The page has the app's own address in development too, so it cannot guess where the socket is.
    server: { host: '127.0.0.1', port: DEV_PORT, strictPort: true, ws: { host: '127.0.0.1', clientPort: DEV_PORT } },
  },
})
