import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const toUrl = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The comparison page, not part of the product's bundles. */
export default defineConfig({
  root: toUrl('.'),
  plugins: [vue()],
  resolve: { alias: { '#transport': toUrl('../../../renderer/transport/index.web.ts') } },
  build: { outDir: toUrl('../../../out/bench'), emptyOutDir: true, target: 'chrome130', chunkSizeWarningLimit: 3000 },
})
