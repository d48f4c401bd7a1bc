import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { fileURLToPath } from 'node:url'
import { pageBuild } from './vite.shared.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The desktop app: main process with the demo host's thread, one CommonJS preload, the page. */
export default defineConfig({
  main: {
    build: {
      outDir: at('./out/main'),
      target: 'node20.18',
      externalizeDeps: false,
      rollupOptions: {
        input: { main: at('./electron/main.ts'), 'demo-host-worker': at('./electron/demo-host/worker.ts') },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        external: ['electron'],
      },
    },
  },
  preload: {
    build: {
      outDir: at('./out/preload'),
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: at('./electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
        external: ['electron'],
      },
    },
  },
  renderer: {
    root: at('./renderer'),
    plugins: [vue()],
    resolve: { alias: { '#host': at('./renderer/host/index.ts') } },
    worker: { format: 'es' },
    build: { ...pageBuild(at('./out/renderer')), rollupOptions: { input: at('./renderer/index.html') } },
  },
})
