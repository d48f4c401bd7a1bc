import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { pageBuild } from './vite.shared.ts'

/** The page for the browser host. */
export default defineConfig({
  root: fileURLToPath(new URL('./renderer', import.meta.url)),
  plugins: [vue()],
  resolve: { alias: { '#host': fileURLToPath(new URL('./renderer/host/index.web.ts', import.meta.url)) } },
  worker: { format: 'es' },
  build: pageBuild(fileURLToPath(new URL('./out/web', import.meta.url))),
})
